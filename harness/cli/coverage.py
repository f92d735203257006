"""`aclcts coverage`: which rules have a test, which cannot have one, which still lack one."""

from __future__ import annotations

import argparse
from typing import Any

from harness.cli.command import BAD, GOOD, Command, Context, add_json, named, print_json, table
from harness.cli.tracing import trace
from harness.contract import Contract, Rule
from harness.faults import load_faults


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    add_chapters(parser, context)
    add_json(parser, context)


def add_chapters(parser: argparse.ArgumentParser, context: Context, words: str | None = None) -> None:
    """The option `--chapter`, with other words where a command has its own default."""
    parser.add_argument(
        "--chapter",
        metavar="TOKEN[,TOKEN…]",
        type=named,
        action="append",
        help=words or context.say("cli.coverage.chapter"),
    )


def chosen_chapters(options: argparse.Namespace, context: Context) -> dict[str, list[Rule]]:
    """The rules of the chapters of `--chapter`, or all by their files; ContractError for an unknown one."""
    contract = context.contract
    given = [token for value in options.chapter or () for token in value.split(",") if token]
    chapters = given or dict.fromkeys(rule.file for rule in contract.rules.values())
    return {token: contract.rules_of_chapter(token) for token in chapters}


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the coverage; BAD where a rule of the chapters has neither a test nor a reason."""
    rules = chosen_chapters(options, context)
    result = measure(rules, trace(context), context.contract)
    if options.json:
        print_json(result)
    else:
        _print(result, context)
    return BAD if result["missing"] else GOOD


def measure(
    chapters: dict[str, list[Rule]], traces: dict[str, dict[str, int]], contract: Contract
) -> dict[str, Any]:
    """The coverage of the chapters as the JSON of `--json`."""
    rules = {rule.id: rule for part in chapters.values() for rule in part}
    killed = {rule for fault in load_faults(contract).values() for rule in fault.breaks}
    by_chapter = {}
    for token, part in chapters.items():
        ids = [rule.id for rule in part]
        by_chapter[token] = {
            "rules": len(ids),
            "traced": sum(rule in traces for rule in ids),
            "untestable": sum(rule not in traces and rules[rule].untestable is not None for rule in ids),
            "killed": sum(rule in killed for rule in ids),
        }
    untestable = {
        rule.id: rule.untestable
        for rule in rules.values()
        if rule.untestable is not None and rule.id not in traces
    }
    return {
        "rules": len(rules),
        "traced": sum(rule in traces for rule in rules),
        "untestable": len(untestable),
        "missing": [rule for rule in rules if rule not in traces and rule not in untestable],
        "killed": sum(rule in killed for rule in rules),
        "chapters": by_chapter,
        "reasons": untestable,
    }


def _print(result: dict[str, Any], context: Context) -> None:
    say = context.say
    names = ("rules", "traced", "untestable", "missing", "killed")
    rows = [(say("cli.coverage.chapter_name"), *(say(f"cli.coverage.{name}") for name in names))]
    for token, part in result["chapters"].items():
        lacking = part["rules"] - part["traced"] - part["untestable"]
        numbers = (part["rules"], part["traced"], part["untestable"], lacking, part["killed"])
        rows.append((token, *map(str, numbers)))
    total = (
        result["rules"],
        result["traced"],
        result["untestable"],
        len(result["missing"]),
        result["killed"],
    )
    rows.append((say("cli.coverage.total"), *map(str, total)))
    print(table(rows))
    if result["reasons"]:
        print(f"\n{say('cli.coverage.reasons')}")
        print(table([(rule, reason) for rule, reason in result["reasons"].items()], "  "))
    if result["missing"]:
        print(f"\n{say('cli.coverage.missing_rules')}")
        print("\n".join(f"  {rule}" for rule in result["missing"]))


COMMAND = Command("coverage", configure, run)
