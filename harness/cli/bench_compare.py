"""`aclcts bench compare`: what two runs of benchmarks say of each other."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

import msgspec

from harness.benchmark.compare import THRESHOLD, Comparison, Outcome, compare_runs, counts, exit_status
from harness.cli.command import CommandError, Context, print_json, table
from harness.results import BenchmarkRecord
from harness.results.bundle import open_results
from harness.results.text import one_line


def options(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("old", metavar="OLD", type=Path, help=say("cli.bench.compare.old"))
    parser.add_argument("new", metavar="NEW", type=Path, help=say("cli.bench.compare.new"))
    parser.add_argument("--rerun", metavar="RERUN", type=Path, help=say("cli.bench.compare.rerun"))
    parser.add_argument(
        "--threshold",
        metavar="PERCENT",
        type=float,
        default=THRESHOLD * 100,
        help=say("cli.bench.compare.threshold", default=f"{THRESHOLD * 100:g}"),
    )


def run(options: argparse.Namespace, context: Context) -> int:
    """Print an outcome for each benchmark; the exit status is that of the most important one."""
    if not 0 < options.threshold < 100:
        raise CommandError(context.say("cli.bench.compare.bad_threshold", given=f"{options.threshold:g}"))
    rerun = _records(options.rerun, context) if options.rerun is not None else None
    comparisons = compare_runs(
        _records(options.old, context), _records(options.new, context), rerun, options.threshold / 100
    )
    if options.json:
        print_json({"counts": counts(comparisons), "comparisons": [_plain(each) for each in comparisons]})
    else:
        print(_told(comparisons, context))
    return exit_status(comparisons)


def _records(path: Path, context: Context) -> list[BenchmarkRecord]:
    found = open_results(path).benchmarks
    if not found:
        raise CommandError(context.say("cli.bench.compare.none", file=path))
    return found


def _plain(comparison: Comparison) -> dict[str, object]:
    ratio = msgspec.to_builtins(comparison.ratio)
    return {**asdict(comparison), "outcome": comparison.outcome.value, "ratio": ratio}


def _told(comparisons: list[Comparison], context: Context) -> str:
    order = {outcome: number for number, outcome in enumerate(Outcome)}
    listed = sorted(comparisons, key=lambda each: order[each.outcome])
    lines = [table([(each.outcome.value, each.id, one_line(each.reason)) for each in listed])]
    told = ", ".join(f"{number} {outcome}" for outcome, number in counts(comparisons).items() if number)
    lines.append(context.say("cli.bench.compare.summary", counts=told))
    return "\n".join(lines)
