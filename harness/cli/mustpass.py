"""`aclcts mustpass`: which promises a release stands on, and whether results have them all."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli.command import GOOD, Command, Context, add_json, print_json
from harness.cli.findings import as_json, status, told
from harness.contract import CURRENT_VERSION, parse_version
from harness.device import split_list
from harness.results import read_run
from harness.results.qualification import Scope, qualify


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("results", metavar="RESULTS", nargs="?", type=Path, help=say("cli.mustpass.results"))
    parser.add_argument("--sku", metavar="PRODUCT", action="append", default=[], help=say("cli.scope.sku"))
    parser.add_argument(
        "--form", metavar="EP|RC|ccpu", action="append", default=[], help=say("cli.scope.form")
    )
    parser.add_argument("--cann", metavar="VERSION", help=say("cli.scope.cann"))
    parser.add_argument(
        "--chapter", metavar="TOKEN", action="append", default=[], help=say("cli.scope.chapter")
    )
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the lists, or with results what they lack; BAD where a release cannot stand on them."""
    contract = context.contract
    chapters = tuple(split_list(options.chapter))
    if options.results is None:
        lists = _asked(options, chapters, context).required(contract)
        if options.json:
            print_json({f"{product}-{form}": rules for (product, form), rules in lists.items()})
        else:
            print(
                "\n".join(
                    f"{product}-{form}  {rule}" for (product, form), rules in lists.items() for rule in rules
                )
            )
        return GOOD
    results = read_run(options.results)
    scope = Scope.of(results, contract)
    result = qualify(results, Scope(scope.profiles, scope.cann, chapters or scope.chapters), contract)
    if options.json:
        print_json(as_json(result))
    else:
        print(told(result, context))
    return status(result)


def _asked(options: argparse.Namespace, chapters: tuple[str, ...], context: Context) -> Scope:
    contract = context.contract
    products, forms = split_list(options.sku), split_list(options.form)
    for product in products:
        contract.forms(product)
    version = options.cann or CURRENT_VERSION
    parse_version(version)
    profiles = tuple(
        (product, form)
        for product, form in contract.matrix()
        if (not products or product in products) and (not forms or form in forms)
    )
    return Scope(profiles, version, chapters)


COMMAND = Command("mustpass", configure, run)
