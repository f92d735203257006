"""`aclcts faults`: what the suites notice when the reference device breaks one promise at a time."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from harness.cli.command import BAD, GOOD, Command, Context, add_json, print_json, table
from harness.cli.coverage import add_chapters, chosen_chapters
from harness.faults import Fault, FaultResult, load_faults, run_faults


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("names", metavar="NAME", nargs="*", help=say("cli.faults.names"))
    add_chapters(parser, context)
    parser.add_argument("--list", action="store_true", help=say("cli.faults.list"))
    parser.add_argument("--full", action="store_true", help=say("cli.faults.full"))
    parser.add_argument("--sku", metavar="PRODUCT", action="append", default=[], help=say("cli.faults.sku"))
    parser.add_argument("-n", "--workers", metavar="N", default="auto", help=say("cli.faults.workers"))
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Run the suites once per fault; BAD where one is not noticed."""
    faults = load_faults(context.contract)
    if options.list:
        return _list(faults, options.json)
    touched = {rule.id for rules in chosen_chapters(options, context).values() for rule in rules}
    pytest_args = ["-n", options.workers, *(word for sku in options.sku for word in ("--sku", sku))]
    names = list(dict.fromkeys(options.names)) or [
        name for name, fault in faults.items() if not touched.isdisjoint(fault.breaks)
    ]
    results = []
    for result in run_faults(names, faults, context.contract, context.root, options.full, pytest_args):
        results.append(result)
        if not options.json:
            print(_shown(result, context), flush=True)
    unnoticed = [result.name for result in results if not result.noticed]
    if options.json:
        print_json({"faults": [asdict(result) for result in results], "unnoticed": unnoticed})
    else:
        print(context.say("cli.faults.summary", noticed=len(results) - len(unnoticed), faults=len(results)))
    return BAD if unnoticed else GOOD


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


def _shown(result: FaultResult, context: Context) -> str:
    say = context.say
    sign = "✓" if result.noticed else "✗"
    word = say("cli.faults.noticed" if result.noticed else "cli.faults.unnoticed", cases=len(result.tests))
    lines = [f"{sign} {result.name}: {word}"]
    for key, rules in (("silent", result.silent), ("collateral", result.collateral)):
        if rules:
            lines.append(f"    {say(f'cli.faults.{key}')} {', '.join(rules)}")
    return "\n".join(lines)


COMMAND = Command("faults", configure, run)
