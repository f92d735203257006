"""`aclcts mustpass`: which promises a release stands on, and whether results have them all."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli.command import GOOD, Command, CommandError, Context, add_json, named, print_json
from harness.cli.findings import as_json, status, told
from harness.contract import Contract
from harness.device import select_profiles, split_list
from harness.results.bundle import open_results
from harness.results.qualification import Scope, qualify


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("results", metavar="RESULTS", nargs="?", type=Path, help=say("cli.mustpass.results"))
    parser.add_argument(
        "--sku", metavar="PRODUCT", type=named, action="append", default=[], help=say("cli.scope.sku")
    )
    parser.add_argument(
        "--form", metavar="EP|RC|ccpu", type=named, action="append", default=[], help=say("cli.scope.form")
    )
    parser.add_argument("--cann", metavar="VERSION", type=named, help=say("cli.scope.cann"))
    parser.add_argument(
        "--chapter", metavar="TOKEN", type=named, action="append", default=[], help=say("cli.scope.chapter")
    )
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the lists, or with results what they lack; BAD where a release cannot stand on them."""
    contract = context.contract
    asked = _asked(options, contract)
    if options.results is None:
        lists = asked.required(contract)
        if options.json:
            print_json({f"{product}-{form}": rules for (product, form), rules in lists.items()})
        else:
            print(
                "\n".join(
                    f"{product}-{form}  {rule}" for (product, form), rules in lists.items() for rule in rules
                )
            )
        return GOOD
    results = open_results(options.results)
    scope = _narrowed(Scope.of(results, contract), asked, options, context)
    result = qualify(results, scope, contract)
    if options.json:
        print_json(as_json(result))
    else:
        print(told(result, context))
    return status(result)


def _asked(options: argparse.Namespace, contract: Contract) -> Scope:
    """What the options name, over the whole matrix; UsageError or ContractError for what nobody knows."""
    chapters = tuple(split_list(options.chapter))
    for chapter in chapters:
        contract.rules_of_chapter(chapter)
    chosen = select_profiles(contract, options.sku, options.form, options.cann)
    return Scope(tuple((each.product, each.form) for each in chosen), chosen[0].cann, chapters)


def _narrowed(has: Scope, asked: Scope, options: argparse.Namespace, context: Context) -> Scope:
    """The part of the results' scope that was asked for; CommandError where the results do not have it."""
    for option, given, there in (
        ("--sku", split_list(options.sku), {product for product, _ in has.profiles}),
        ("--form", split_list(options.form), {form for _, form in has.profiles}),
        ("--cann", [options.cann] if options.cann else [], {has.cann}),
    ):
        for name in given:
            if name not in there:
                raise CommandError(
                    context.say("cli.mustpass.other", option=option, has=", ".join(sorted(there)), given=name)
                )
    profiles = tuple(profile for profile in has.profiles if profile in asked.profiles)
    return Scope(profiles, has.cann, asked.chapters or has.chapters)


COMMAND = Command("mustpass", configure, run)
