"""`aclcts compare`: what changed between two runs; a gate for continuous integration."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from harness.cli.command import BAD, GOOD, Command, CommandError, Context, add_json, named, print_json
from harness.device import split_list
from harness.results.bundle import open_results
from harness.results.compare import KINDS, Change, Comparison, compare
from harness.results.text import one_line

_FAILS = ("worse", "removed")
_SHOWN = 40


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("old", metavar="OLD", type=Path, help=say("cli.compare.old"))
    parser.add_argument("new", metavar="NEW", type=Path, help=say("cli.compare.new"))
    parser.add_argument(
        "--fail-on",
        metavar="KIND",
        type=named,
        action="append",
        default=[],
        help=say("cli.compare.fail_on", kinds=", ".join(KINDS), default=",".join(_FAILS)),
    )
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the changes; BAD where there is one of the kinds of `--fail-on`."""
    fails = split_list(options.fail_on) or _FAILS
    for kind in fails:
        if kind not in KINDS:
            raise CommandError(context.say("cli.compare.unknown", kind=kind, kinds=", ".join(KINDS)))
    result = compare(open_results(options.old), open_results(options.new))
    if not result.unchanged and not result.changes:
        raise CommandError(context.say("cli.compare.nothing"))
    if options.json:
        changes = [asdict(change) for change in result.changes]
        print_json(
            {
                "unchanged": result.unchanged,
                "outside": result.outside,
                "counts": result.counts,
                "changes": changes,
            }
        )
    else:
        print(_told(result, context))
    return BAD if any(change.kind in fails for change in result.changes) else GOOD


def _told(result: Comparison, context: Context) -> str:
    say = context.say
    lines = []
    for kind, number in result.counts.items():
        if not number:
            continue
        lines.append(f"{say(f'change.{kind}')}: {number}")
        shown = [change for change in result.changes if change.kind == kind][:_SHOWN]
        lines += [_line(change) for change in shown]
        if number > len(shown):
            lines.append(f"  {say('cli.findings.more', number=number - len(shown))}")
    lines.append(say("cli.compare.summary", unchanged=result.unchanged, changed=len(result.changes)))
    if result.outside:
        lines.append(say("cli.compare.outside", number=result.outside))
    return "\n".join(lines)


def _line(change: Change) -> str:
    arrow = " → ".join(filter(None, (one_line(change.before), one_line(change.now))))
    return f"  {one_line(change.id)}: {arrow}"


COMMAND = Command("compare", configure, run)
