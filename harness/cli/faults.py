"""`aclcts faults`: what the suites notice when the reference device breaks one promise at a time."""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import asdict

from harness.cli.command import (
    BAD,
    GOOD,
    Command,
    CommandError,
    Context,
    add_json,
    named,
    positive,
    print_json,
    table,
)
from harness.cli.coverage import add_chapters, chosen_chapters
from harness.faults import Fault, FaultResult, Width, load_faults, run_faults

_SHOWN_REASON = 240


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("names", metavar="NAME", nargs="*", help=say("cli.faults.names"))
    add_chapters(parser, context, say("cli.faults.chapter"))
    parser.add_argument("--list", action="store_true", help=say("cli.faults.list"))
    parser.add_argument("--slice", metavar="K/N", help=say("cli.faults.slice"))
    parser.add_argument(
        "--width",
        choices=[width.value for width in Width],
        default=Width.FUNCTIONS.value,
        help=say("cli.faults.width"),
    )
    parser.add_argument(
        "--sku", metavar="PRODUCT", type=named, action="append", default=[], help=say("cli.faults.sku")
    )
    parser.add_argument("-n", "--at-once", metavar="N", type=positive, help=say("cli.faults.at_once"))
    parser.add_argument("-v", "--verbose", action="store_true", help=say("cli.faults.verbose"))
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Run the suites once per fault; BAD where one is not noticed."""
    faults = load_faults(context.contract)
    names = _slice(_chosen(options, faults, context), options.slice, context)
    if options.list:
        return _list({name: faults[name] for name in names if name in faults}, options.json)
    pytest_args = [word for sku in options.sku for word in ("--sku", sku)]
    at_once = options.at_once or len(os.sched_getaffinity(0))
    results = []
    for result in run_faults(
        names, faults, context.contract, context.root, Width(options.width), pytest_args, at_once
    ):
        results.append(result)
        if not options.json:
            print(_shown(result, options.verbose, context), flush=True)
    unnoticed = [result.name for result in results if not result.noticed]
    if options.json:
        print_json({"faults": [asdict(result) for result in results], "unnoticed": unnoticed})
    else:
        print(_summary(results, context))
    return BAD if unnoticed else GOOD


def _chosen(options: argparse.Namespace, faults: dict[str, Fault], context: Context) -> list[str]:
    """The named faults, else those of the chapters, else all."""
    if options.names:
        return list(dict.fromkeys(options.names))
    if not options.chapter:
        return list(faults)
    touched = {rule.id for rules in chosen_chapters(options, context).values() for rule in rules}
    return [name for name, fault in faults.items() if not touched.isdisjoint(fault.breaks)]


def _slice(names: list[str], wanted: str | None, context: Context) -> list[str]:
    """Every N-th fault from the K-th on: slices of the same N are disjoint, and together they are all."""
    if wanted is None:
        return names
    numbers = re.fullmatch(r"(\d+)/(\d+)", wanted)
    part, parts = (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
    if not 1 <= part <= parts:
        raise CommandError(context.say("cli.faults.bad_slice", given=wanted))
    return names[part - 1 :: parts]


def _list(faults: dict[str, Fault], as_json: bool) -> int:
    if as_json:
        told = {
            name: {"sentence": f.sentence, "breaks": f.breaks, "field": f.field} for name, f in faults.items()
        }
        print_json(told)
    elif faults:
        print(
            table([(name, ", ".join(fault.field) or "-", fault.sentence) for name, fault in faults.items()])
        )
    return GOOD


def _shown(result: FaultResult, verbose: bool, context: Context) -> str:
    say = context.say
    sign = "✓" if result.noticed else "✗"
    where = ", ".join(result.profiles)
    word = say(
        f"cli.faults.{'noticed' if result.noticed else 'unnoticed' if result.cases else 'untried'}",
        bad=len(result.evidence),
        cases=result.cases,
        profiles=where,
    )
    lines = [f"{sign} {result.name}: {word}"]
    for key, rules in (("silent", result.silent), ("bystanders", result.bystanders)):
        if rules:
            lines.append(f"    {say(f'cli.faults.{key}')} {', '.join(rules)}")
    if verbose:
        lines += [
            f"    {each.verdict}: {each.case}: {each.reason[:_SHOWN_REASON]}" for each in result.evidence
        ]
    return "\n".join(lines)


def _summary(results: list[FaultResult], context: Context) -> str:
    """The counts; which faults were not noticed, not tried, noticed in part, or broke more than they say."""
    say = context.say
    noticed = [result for result in results if result.noticed]
    lines = [say("cli.faults.summary", noticed=len(noticed), faults=len(results))]
    groups = {
        "all_unnoticed": [result.name for result in results if not result.noticed and result.cases],
        "all_untried": [result.name for result in results if not result.cases],
        "all_partial": [result.name for result in noticed if result.silent],
        "all_bystanders": [result.name for result in results if result.bystanders],
    }
    lines += [
        f"{say(f'cli.faults.{key}', count=len(names))} {', '.join(names)}"
        for key, names in groups.items()
        if names
    ]
    return "\n".join(lines)


COMMAND = Command("faults", configure, run)
