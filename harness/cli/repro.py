"""`aclcts repro`: a recorded case as one standalone program for the people who mend the driver."""

from __future__ import annotations

import argparse
import fnmatch
from pathlib import Path

from harness.cli.command import GOOD, Command, CommandError, Context, add_json, named, print_json
from harness.results import CaseRecord, Counts, Header
from harness.results.bundle import open_results
from harness.results.files import write_whole
from harness.results.repro import ReproError, c_source, program_of, python_source
from harness.results.summary import judge

_DEFAULT = Path("reports/out")
_LISTED = 10


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("case", metavar="CASE", type=named, help=say("cli.repro.case"))
    parser.add_argument(
        "--results", metavar="RESULTS", type=Path, default=_DEFAULT, help=say("cli.repro.results")
    )
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help=say("cli.repro.output"))
    parser.add_argument("--python", action="store_true", help=say("cli.repro.python"))
    parser.add_argument("--bare", action="store_true", help=say("cli.repro.bare"))
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Write or print the program of one case."""
    case, header = _find(options, context)
    try:
        program = program_of(case, context.contract, options.bare)
        write = python_source if options.python or _is_python(options.output) else c_source
        source = write(program, case, header, context.contract)
    except ReproError as error:
        raise CommandError(context.say("cli.repro.impossible", why=error)) from None
    if options.output is not None:
        write_whole(options.output, source.encode(), "the program")
    if options.json:
        print_json({"case": case.id, "output": str(options.output or ""), "source": source})
    else:
        print(options.output or source, end="\n" if options.output else "")
    return GOOD


def _is_python(output: Path | None) -> bool:
    return output is not None and output.suffix == ".py"


def _find(options: argparse.Namespace, context: Context) -> tuple[CaseRecord, Header]:
    """The case an id, a part of one, a pattern or a rule names; bad ones first where several match."""
    found = open_results(options.results)
    wanted = options.case
    pattern = "*" + wanted.replace("[", "[[]") + "*"
    bad: list[CaseRecord] = []
    others: list[CaseRecord] = []
    for case, worth in judge(found):
        if case.id == wanted:
            return case, found.header
        if wanted in case.rules or fnmatch.fnmatchcase(case.id, pattern):
            (bad if worth is Counts.BAD else others).append(case)
    matching = [case for case in bad or others if case.calls] or bad or others
    if not matching:
        hint = context.perhaps(wanted, {rule for case in found.cases for rule in case.rules})
        raise CommandError(context.say("cli.repro.unknown", case=wanted, results=options.results, hint=hint))
    return matching[0], found.header


COMMAND = Command("repro", configure, run)
