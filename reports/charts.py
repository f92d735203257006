"""Charts as SVG, made by altair and vl-convert; without them (the extra `charts`) a report has tables only.

A chart takes its ink from the page (`currentColor`), so that it reads in light and dark, and tells its lines
apart by shape and dash as well as by colour.
"""

from __future__ import annotations

import importlib.util
import re
from typing import Any, NamedTuple

WIDTH, HEIGHT = 620, 260
"""Size of a chart's field in pixels; the page scales it."""

# Six inks that keep 3:1 against white and against the dark page.
_INKS = ["#2f7ed8", "#c2571a", "#2c8f5b", "#a14fc0", "#b58900", "#d1497a"]
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 4]]
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
# What the drawing library adds for scripts of its own; the page describes the figure as a whole.
_NOISE = re.compile(r' (?:class|role|aria-[a-z]+|pointer-events|xmlns:xlink)="[^"]*"')
LINES_DRAWN = len(_INKS)
"""Lines of one chart; more would not be told apart, they stand in the table."""


class Point(NamedTuple):
    """A measured value at a size in bytes, and the interval around it."""

    size: int
    value: float
    low: float
    high: float


class Line(NamedTuple):
    """A named series of points, in the order of their sizes."""

    name: str
    points: list[Point]


class Plot(NamedTuple):
    """What a chart shows: its axes' names, its lines, and a limit to draw, in the unit of y."""

    x: str
    y: str
    lines: list[Line]
    limit: float | None = None


def available() -> bool:
    """Whether charts can be drawn here."""
    return all(importlib.util.find_spec(name) is not None for name in ("altair", "vl_convert"))


def draw(plot: Plot) -> str:
    """The chart as an SVG element; empty where it cannot be drawn or has no line of two points."""
    lines = [line for line in plot.lines if len(line.points) > 1][:LINES_DRAWN]
    if not lines or not available():
        return ""
    import altair as alt

    rows = [
        {"series": line.name, "size": point.size, "value": point.value, "low": point.low, "high": point.high}
        for line in lines
        for point in line.points
    ]
    names = [line.name for line in lines]
    count = len(names)
    ink = alt.Color("series:N", scale=alt.Scale(domain=names, range=_INKS[:count]), title=None)
    size = alt.X(
        "size:Q",
        scale=alt.Scale(type="log", base=2),
        title=plot.x,
        axis=alt.Axis(
            labelExpr="datum.value >= 1073741824 ? datum.value / 1073741824 + 'G' : datum.value >= 1048576 ? "
            "datum.value / 1048576 + 'M' : datum.value >= 1024 ? datum.value / 1024 + 'K' : datum.value",
            labelOverlap=True,
        ),
    )
    base = alt.Chart({"values": rows})
    layers = [
        base.mark_area(opacity=0.18).encode(x=size, y=alt.Y("low:Q", title=plot.y), y2="high:Q", color=ink),
        base.mark_line(strokeWidth=1.8).encode(
            x=size,
            y=alt.Y("value:Q", title=plot.y),
            color=ink,
            strokeDash=alt.StrokeDash(
                "series:N", scale=alt.Scale(domain=names, range=_DASHES[:count]), title=None
            ),
        ),
        base.mark_point(size=34, filled=True, opacity=1).encode(
            x=size,
            y="value:Q",
            color=ink,
            shape=alt.Shape("series:N", scale=alt.Scale(domain=names, range=_SHAPES[:count]), title=None),
        ),
    ]
    if plot.limit is not None:
        limit = alt.Chart({"values": [{"limit": plot.limit}]})
        layers.append(limit.mark_rule(strokeDash=[3, 3], color="currentColor").encode(y="limit:Q"))
    return _svg(alt.layer(*layers))


class Trend(NamedTuple):
    """How values went from run to run: lines of (moment, value) by name, moments as ISO 8601."""

    y: str
    lines: dict[str, list[tuple[str, float]]]


def draw_trend(trend: Trend) -> str:
    """The chart as an SVG element; empty where it cannot be drawn or has no line of two points."""
    lines = {name: points for name, points in trend.lines.items() if len(points) > 1}
    lines = dict(list(lines.items())[:LINES_DRAWN])
    if not lines or not available():
        return ""
    import altair as alt

    rows = [
        {"series": name, "moment": moment, "value": value}
        for name, points in lines.items()
        for moment, value in points
    ]
    count = len(lines)
    names = list(lines)
    chart = (
        alt.Chart({"values": rows})
        .mark_line(point=True, strokeWidth=1.8)
        .encode(
            x=alt.X("moment:O", title=None, axis=alt.Axis(labelAngle=-40, labelOverlap=True)),
            y=alt.Y("value:Q", title=trend.y),
            color=alt.Color("series:N", scale=alt.Scale(domain=names, range=_INKS[:count]), title=None),
            strokeDash=alt.StrokeDash(
                "series:N", scale=alt.Scale(domain=names, range=_DASHES[:count]), title=None
            ),
        )
    )
    return _svg(chart)


def _svg(chart: Any) -> str:
    """A chart in the page's ink, as an SVG element."""
    import vl_convert

    chart = (
        chart.properties(width=WIDTH, height=HEIGHT)
        .configure(background="transparent", aria=False, font="system-ui, sans-serif")
        .configure_axis(
            labelColor="currentColor",
            titleColor="currentColor",
            domainColor="currentColor",
            tickColor="currentColor",
            gridColor="currentColor",
            gridOpacity=0.15,
        )
        .configure_legend(
            labelColor="currentColor", symbolOpacity=1, orient="bottom", labelLimit=360, columns=2
        )
        .configure_view(stroke=None)
    )
    return _NOISE.sub("", vl_convert.vegalite_to_svg(chart.to_dict()))
