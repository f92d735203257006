"""`aclcts history`: many runs: when did a rule start to fail, which cases are flaky, where is it going."""

from __future__ import annotations

import argparse
import fnmatch
from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness.cli.command import GOOD, Command, CommandError, Context, add_json, print_json, table
from harness.results.bundle import open_results
from harness.results.files import write_whole
from harness.results.history import History, KeptRun
from harness.results.text import one_line
from reports.charts import Trend, available, draw_trend

_ALL = "*"
_WORTHS = ("good", "remark", "neutral", "bad")


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("history", metavar="DIR", type=Path, help=say("cli.history.folder"))
    parser.add_argument(
        "--add", metavar="RESULTS", nargs="+", type=Path, default=[], help=say("cli.history.add")
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--failing", metavar="RULE", nargs="?", const=_ALL, help=say("cli.history.failing"))
    what.add_argument("--flakes", action="store_true", help=say("cli.history.flakes"))
    what.add_argument("--benchmarks", metavar="ID", nargs="?", const=_ALL, help=say("cli.history.benchmarks"))
    parser.add_argument("--chart", metavar="FILE", type=Path, help=say("cli.history.chart"))
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Keep results, then tell what was asked for; facts do not change the status."""
    history = History(options.history)
    for results in options.add:
        history.add(open_results(results))
    if options.failing is not None:
        _check_pattern(options.failing, history.rules(), context)
        _tell([asdict(found) for found in history.failing(options.failing)], options, context)
    elif options.flakes:
        _tell([asdict(found) for found in history.flakes()], options, context)
    elif options.benchmarks is not None:
        _check_pattern(options.benchmarks, history.benchmarks(), context)
        measured = history.measured(options.benchmarks)
        names = dict.fromkeys(f"{each.id} {each.profile}" for each in measured)
        lines = {
            name: [(each.started, each.median_s) for each in measured if f"{each.id} {each.profile}" == name]
            for name in names
        }
        _chart(Trend(context.say("cli.history.seconds"), lines), options, context)
        _tell([asdict(found) for found in measured], options, context)
    else:
        runs = history.runs()
        _chart(Trend(context.say("cli.history.cases"), _of_worths(runs, context)), options, context)
        _tell([asdict(found) for found in runs], options, context)
    return GOOD


def _check_pattern(pattern: str, known: list[str], context: Context) -> None:
    """Raise CommandError for a pattern that nothing kept matches: an empty answer would read as good news."""
    if pattern != _ALL and not fnmatch.filter(known, pattern):
        hint = context.perhaps(pattern, known)
        raise CommandError(context.say("cli.history.unknown", pattern=pattern, hint=hint))


def _of_worths(runs: list[KeptRun], context: Context) -> dict[str, list[tuple[str, float]]]:
    """How many cases counted as what, over all products, run by run."""
    sums: dict[str, dict[str, float]] = {}
    for each in runs:
        for worth in _WORTHS:
            counted = sums.setdefault(worth, {})
            counted[each.started] = counted.get(each.started, 0) + getattr(each, worth)
    return {context.say(f"worth.{worth}"): list(counted.items()) for worth, counted in sums.items()}


def _tell(rows: list[dict[str, Any]], options: argparse.Namespace, context: Context) -> None:
    if options.json:
        print_json(rows)
    elif not rows:
        print(context.say("cli.none"))
    else:
        names = tuple(context.say(f"history.{name}") for name in rows[0])
        print(table([names, *(tuple(map(_cell, row.values())) for row in rows)]))


def _cell(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{value:.4g}" if isinstance(value, float) else one_line(str(value)) or "-"


def _chart(trend: Trend, options: argparse.Namespace, context: Context) -> None:
    if options.chart is None:
        return
    if not available():
        raise CommandError(context.say("cli.history.no_charts"))
    drawn = draw_trend(trend)
    if not drawn:
        raise CommandError(context.say("cli.history.too_few"))
    write_whole(options.chart, drawn.encode(), "the chart")


COMMAND = Command("history", configure, run)
