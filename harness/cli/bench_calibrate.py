"""`aclcts bench calibrate`: does the method find what the reference device's timing model is set to?"""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from harness.benchmark.calibrate import TRUTHS, Result, calibrate
from harness.cli.command import BAD, GOOD, CommandError, Context, print_json, seed
from harness.device import select_target
from harness.plugin.settings import probe_in_child

_RUNS = 10
_MOST_RUNS = 1000


def options(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("--quick", action="store_true", help=say("cli.bench.calibrate.quick"))
    parser.add_argument("--runs", metavar="N", type=int, help=say("cli.bench.calibrate.runs", default=_RUNS))
    parser.add_argument("--seed", metavar="N", type=seed, default=0, help=say("cli.bench.seed"))


def run(options: argparse.Namespace, context: Context) -> int:
    """Print a line for each truth; BAD where the method was wrong and did not say so."""
    runs = options.runs if options.runs is not None else 1 if options.quick else _RUNS
    if not 0 < runs <= _MOST_RUNS:
        raise CommandError(context.say("cli.bench.calibrate.bad_runs", given=runs, most=_MOST_RUNS))
    target = select_target(context.contract, "reference", ["910b"], probe=probe_in_child)
    results = []
    for result in calibrate(target, context.contract, runs, TRUTHS, options.seed):
        results.append(result)
        if not options.json:
            print(told(result, context), flush=True)
    if options.json:
        print_json([plain(result) for result in results])
    return BAD if any(result.right is False for result in results) else GOOD


def told(result: Result, context: Context) -> str:
    """One truth, what was found, and the judgement."""
    say, truth = context.say, str(result.truth)
    if result.skipped:
        return f"○ {truth}: {result.skipped}"
    if not result.trusted:
        doubts = ", ".join(dict.fromkeys(doubt for found in result.found for doubt in found.doubts))
        return f"○ {truth}: {say('cli.bench.calibrate.undecided', doubts=doubts)}"
    figures = say(
        "cli.bench.calibrate.found",
        bandwidth=f"{result.bandwidth_error * 100:.2f}",
        latency=f"{result.latency_error * 1e6:.3f}",
        bandwidth_covered=f"{result.bandwidth_covered * 100:.0f}",
        latency_covered=f"{result.latency_covered * 100:.0f}",
        trusted=len(result.trusted),
        runs=len(result.found),
    )
    return f"{'✓' if result.right else '✗'} {truth}: {figures}"


def plain(result: Result) -> dict[str, Any]:
    """A result as JSON values."""
    return {
        **dataclasses.asdict(result.truth),
        "skipped": result.skipped,
        "runs": len(result.found),
        "trusted": len(result.trusted),
        "bandwidth_error": result.bandwidth_error,
        "latency_error": result.latency_error,
        "bandwidth_covered": result.bandwidth_covered,
        "latency_covered": result.latency_covered,
        "right": result.right,
    }
