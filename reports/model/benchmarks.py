"""What was measured: a figure for each profile, quantity and direction, its chart and the table behind it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from harness.results import BenchmarkRecord, Interval, Run
from harness.results.text import one_line
from reports.charts import Line, Plot, Point, draw
from reports.model.entries import anchor_of

CHARTS_DRAWN = 24
"""Figures of a report that get a chart; the ones after them have their table only."""

_UNITS = {"bandwidth": ("GB/s", 1e-9), "latency": ("µs", 1e6), "overhead": ("ns", 1e9)}
_TAIL_UNITS = {"bandwidth": ("µs", 1e6), "latency": ("µs", 1e6), "overhead": ("ns", 1e9)}
_BINARY = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


class Change(NamedTuple):
    """What a comparison with the baseline says of one benchmark: a verdict, why, and the ratio's interval."""

    verdict: str
    reason: str
    ratio: str = ""


class Measure(NamedTuple):
    """One row of a figure's table, every value fit to print; empty where there is none."""

    series: str
    size: str
    value: str
    interval: str
    p95: str
    p99: str
    share: str
    samples: str
    clock: str
    ended: str
    doubts: str
    valid: bool
    change: Change | None


@dataclass(slots=True)
class FigureView:
    """Benchmarks that belong into one chart; `chart` is SVG, empty where none can be drawn."""

    anchor: str
    profile: str
    quantity: str
    direction: str
    unit: str
    tail_unit: str
    link: str
    virtual: bool
    chart: str
    rows: list[Measure]
    changed: bool


def figures_of(runs: Iterable[Run], changes: Mapping[str, Change]) -> list[FigureView]:
    """The figures in the order of profiles; `changes` is what a comparison says, by benchmark id."""
    groups: dict[tuple[str, str, str], list[BenchmarkRecord]] = {}
    for run in runs:
        for record in run.benchmarks:
            groups.setdefault((record.profile, record.quantity, record.direction), []).append(record)
    return [
        _figure(profile, quantity, direction, records, changes, number < CHARTS_DRAWN)
        for number, ((profile, quantity, direction), records) in enumerate(sorted(groups.items()))
    ]


def _figure(
    profile: str,
    quantity: str,
    direction: str,
    records: list[BenchmarkRecord],
    changes: Mapping[str, Change],
    drawn: bool,
) -> FigureView:
    unit, factor = _UNITS[quantity]
    records = sorted(records, key=lambda record: (record.series, record.size, record.id))
    links = {(link.name, link.peak): link for record in records if (link := record.link) is not None}
    rows = [_measure(record, factor, changes.get(record.id)) for record in records]
    plot = Plot(
        x="B",
        y=unit,
        lines=_lines(records, factor),
        limit=max((link.peak * factor for link in links.values()), default=None)
        if quantity == "bandwidth"
        else None,
    )
    return FigureView(
        anchor=anchor_of("b", f"{profile}-{quantity}-{direction}"),
        profile=one_line(profile),
        quantity=quantity,
        direction=one_line(direction),
        unit=unit,
        tail_unit=_TAIL_UNITS[quantity][0],
        link="; ".join(
            one_line(f"{link.name}: {link.peak * 1e-9:.2f} GB/s ({link.source})") for link in links.values()
        ),
        virtual=any(record.clock == "virtual" for record in records),
        chart=draw(plot) if drawn else "",
        rows=rows,
        changed=any(row.change is not None for row in rows),
    )


def _value(record: BenchmarkRecord) -> Interval | None:
    if not record.valid or record.samples is None:
        return None
    return record.bandwidth if record.quantity == "bandwidth" else record.samples.median


def _lines(records: list[BenchmarkRecord], factor: float) -> list[Line]:
    lines: dict[str, list[Point]] = {}
    for record in records:
        value = _value(record)
        if value is not None and record.size > 0:
            point = Point(record.size, value.value * factor, value.low * factor, value.high * factor)
            lines.setdefault(one_line(record.series, 80), []).append(point)
    return [Line(name, points) for name, points in lines.items()]


def _measure(record: BenchmarkRecord, factor: float, change: Change | None) -> Measure:
    value = _value(record)
    samples = record.samples
    criterion = record.criterion
    doubts = [*record.flags, record.reason] if record.reason else list(record.flags)
    if record.mismatches:
        doubts.insert(0, f"wrong-data: {record.mismatches}")
    if criterion is not None and not criterion.met:
        doubts.append(f"{criterion.name}: {criterion.reached:.3g} > {criterion.wanted:.3g}")
    tail = _TAIL_UNITS[record.quantity][1]
    return Measure(
        series=one_line(record.series, 80),
        size=size_text(record.size),
        value=_number(value.value * factor) if value else "",
        interval=f"{_number(value.low * factor)} … {_number(value.high * factor)}" if value else "",
        p95=_number(samples.p95 * tail) if samples else "",
        p99=_number(samples.p99 * tail) if samples else "",
        share=f"{record.share.value:.1%}" if record.share else "",
        samples=_samples(record),
        clock=record.clock,
        ended=criterion.name if criterion else "",
        doubts=one_line("; ".join(doubts), 400),
        valid=record.valid,
        change=change,
    )


def _samples(record: BenchmarkRecord) -> str:
    if record.samples is None:
        return ""
    outliers = len(record.samples.outliers)
    return f"{record.samples.n} ({outliers})" if outliers else str(record.samples.n)


def _number(value: float) -> str:
    """At least four digits that mean something, never an exponent."""
    digits = 3 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{min(max(digits, 0), 9)}f}"


def size_text(size: int) -> str:
    """A number of bytes as people write it, whole units only: `64 KiB`, `4097 B`."""
    for unit, name in _BINARY:
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B" if size else ""
