"""`aclcts report`: results as an HTML page, or for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from harness.cli.command import GOOD, Command, CommandError, Context, add_json, print_json
from harness.contract import Contract
from harness.faults import load_faults
from harness.results import Run, together
from harness.results.bundle import open_results
from harness.results.compare import compare
from harness.results.files import write_whole
from harness.results.summary import counts, judge, matrix, must_pass
from reports import Beside, page_of
from reports.exports import EXPORTS, SUFFIXES
from reports.synthetic import synthetic_run

_MOST_SYNTHETIC = 1_000_000
_STANDARD_OUTPUT = "-"


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("results", metavar="RESULTS", nargs="*", type=Path, help=say("cli.report.results"))
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, required=True, help=say("cli.report.output")
    )
    parser.add_argument("--baseline", metavar="OLD", type=Path, help=say("cli.report.baseline"))
    formats = ("html", *EXPORTS)
    parser.add_argument("--format", choices=formats, help=say("cli.report.format"))
    parser.add_argument("--synthetic", metavar="N", type=int, help=say("cli.report.synthetic"))
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Write the file; what the results say does not change the status."""
    runs = _runs(options, context)
    export = EXPORTS.get(options.format or SUFFIXES.get(options.output.suffix, "html"))
    if export is None:
        beside = _beside(options, runs, context)
        content = page_of(runs, context.language, context.contract, beside)
    elif options.baseline is not None:
        raise CommandError(context.say("cli.report.baseline_of_page"))
    else:
        content = export(runs, context.contract, context.language)
    if str(options.output) == _STANDARD_OUTPUT:
        print(content, end="")
        return GOOD
    write_whole(options.output, content.encode(), "the report")
    if options.json:
        print_json({"output": str(options.output), **summary(runs, context.contract)})
    else:
        print(options.output)
    return GOOD


def _beside(options: argparse.Namespace, runs: list[Run], context: Context) -> Beside:
    known = proofs(context.contract)
    if options.baseline is None:
        return Beside(proofs=known)
    if len(runs) != 1:
        raise CommandError(context.say("cli.report.one_baseline"))
    old = open_results(options.baseline)
    title = f"{old.header.target.label}, {old.header.started:%Y-%m-%d %H:%M}, {old.header.run_id}"
    return Beside(proofs=known, baseline=title, comparison=compare(old, runs[0]))


def proofs(contract: Contract) -> dict[str, list[str]]:
    """The rules that a known fault of the reference device breaks, with the faults' names."""
    found: dict[str, list[str]] = {}
    for name, fault in load_faults(contract).items():
        for rule in fault.breaks:
            found.setdefault(rule, []).append(name)
    return found


def _runs(options: argparse.Namespace, context: Context) -> list[Run]:
    if options.synthetic is None:
        if not options.results:
            raise CommandError(context.say("cli.report.nothing"))
        return together([open_results(path) for path in options.results])
    if options.results or not 0 < options.synthetic <= _MOST_SYNTHETIC:
        raise CommandError(context.say("cli.report.bad_synthetic", most=_MOST_SYNTHETIC))
    return [synthetic_run(options.synthetic, context.contract)]


def summary(runs: list[Run], contract: Contract) -> dict[str, Any]:
    """What the runs amount to, as the JSON of `--json`."""
    cases = [case for run in runs for case in run.cases]
    finished = all(run.finished for run in runs)
    must = must_pass((pair for run in runs for pair in judge(run)), contract, finished)
    return {
        "cases": len(cases),
        "finished": finished,
        "must_pass": must.state.value,
        "broken": sorted(must.broken),
        "verdicts": {verdict.value: number for verdict, number in counts(cases).items() if number},
        "matrix": {
            api: {
                profile: {verdict.value: number for verdict, number in cell.items()}
                for profile, cell in row.items()
            }
            for api, row in matrix(cases).items()
        },
    }


COMMAND = Command("report", configure, run)
