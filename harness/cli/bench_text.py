"""Benchmark records as lines for a person."""

from __future__ import annotations

from collections.abc import Sequence

from harness.benchmark.fit import fit
from harness.cli.command import Context, table
from harness.results import BenchmarkRecord, Interval
from harness.results.text import one_line

_UNITS = ((1e-6, 1e9, "ns"), (1e-3, 1e6, "us"), (1.0, 1e3, "ms"))
_SMALL, _LARGE = 4 << 10, 1 << 20


def seconds(value: float) -> str:
    """A time in the unit that fits it."""
    for below, factor, unit in _UNITS:
        if value < below:
            return f"{value * factor:.3g} {unit}"
    return f"{value:.3g} s"


def rate(interval: Interval) -> str:
    """A bandwidth with its interval, in GB/s."""
    return f"{interval.value / 1e9:.3f} GB/s [{interval.low / 1e9:.3f}, {interval.high / 1e9:.3f}]"


def line(record: BenchmarkRecord, context: Context) -> str:
    """One record: id, figure with its interval, share of the link, clock, samples, and why it may be
    doubted.
    """
    say = context.say
    if record.samples is None:
        return f"{record.id}: {say('cli.bench.nothing', reason=one_line(record.reason))}"
    median = record.samples.median
    if record.bandwidth is not None and record.quantity == "bandwidth":
        figure = rate(record.bandwidth)
    else:
        figure = f"{seconds(median.value)} [{seconds(median.low)}, {seconds(median.high)}]"
        if record.quantity == "latency":
            figure += f" p95 {seconds(record.samples.p95)} p99 {seconds(record.samples.p99)}"
    words = [f"{record.id}: {figure}", say(f"cli.bench.clock.{record.clock}"), f"n={record.samples.n}"]
    if record.share is not None and record.link is not None:
        words.append(say("cli.bench.share", share=f"{record.share.value * 100:.1f}", link=record.link.name))
    if "fairness" in record.parts:
        words.append(say("cli.bench.fairness", fairness=f"{record.parts['fairness']:.3f}"))
    if record.criterion is not None and not record.criterion.met:
        reached = f"{record.criterion.reached:.3g}"
        words.append(
            say(
                "cli.bench.unmet",
                name=record.criterion.name,
                wanted=f"{record.criterion.wanted:g}",
                reached=reached,
            )
        )
    if record.mismatches:
        words.append(say("cli.bench.mismatch", number=record.mismatches))
    if record.flags:
        words.append(", ".join(record.flags))
    return "; ".join(words)


def summary(records: Sequence[BenchmarkRecord], context: Context) -> str:
    """Latency and sustained bandwidth of every series that has a small and a large size, and what was not
    measured.
    """
    say = context.say
    rows = [(say("cli.bench.series_name"), say("cli.bench.latency"), say("cli.bench.sustained"))]
    for key in dict.fromkeys((record.profile, record.series) for record in records):
        sized = sorted(
            (record for record in records if (record.profile, record.series) == key and record.valid),
            key=lambda record: record.size,
        )
        if not sized or sized[0].size > 2 * _SMALL or sized[-1].size < _LARGE or sized[0].bandwidth is None:
            continue
        found = fit(sized[0], sized[-1])
        if found is not None:
            rows.append((f"{key[0]}/{key[1]}", seconds(found.latency.value), rate(found.bandwidth)))
    missing = sum(record.samples is None for record in records)
    lines = [table(rows)] if len(rows) > 1 else []
    lines.append(say("cli.bench.summary", measured=len(records) - missing, missing=missing))
    return "\n".join(lines)
