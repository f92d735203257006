"""`aclcts explain`: what a return code, a rule or a verdict means."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from typing import Any

from harness.cli.command import GOOD, Command, CommandError, Context, add_json, print_json, table
from harness.cli.rules import COMMAND as RULES
from harness.contract import ErrorCode
from harness.results import Verdict

_CAUSES_SHOWN = 8
_NUMBER = re.compile("-?[0-9]{1,18}")


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    parser.add_argument("what", metavar="CODE|RULE|VERDICT", help=context.say("cli.explain.what"))
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Explain one thing; CommandError where nobody knows it."""
    what = options.what
    if what in {verdict.value for verdict in Verdict}:
        answer = _verdict(Verdict(what), context)
    elif what in context.contract.rules:
        return RULES.run(argparse.Namespace(ids=[what], no_tests=True, json=options.json), context)
    else:
        answer = _code(what, context)
    if options.json:
        print_json(answer)
        return GOOD
    title, *_ = answer.values()
    print(title)
    rows = [
        (context.say(f"cli.explain.{name}"), str(value))
        for name, value in answer.items()
        if isinstance(value, str)
    ]
    print(table(rows, "  "))
    for cause in answer.get("causes", ()):
        print(f"    {cause['rule']}: {cause['sentence']}")
    return GOOD


def _verdict(verdict: Verdict, context: Context) -> dict[str, Any]:
    worth = context.say(f"worth.{verdict.counts_as().value}")
    strict = context.say(f"worth.{verdict.counts_as(strict=True).value}")
    return {
        "verdict": verdict.value,
        "label": context.say(f"verdict.{verdict}"),
        "meaning": context.say(f"verdict.{verdict}.meaning"),
        "counts_as": worth
        if worth == strict
        else context.say("cli.explain.strict", worth=worth, strict=strict),
    }


def _code(what: str, context: Context) -> dict[str, Any]:
    contract = context.contract
    named = {
        name: error for name, error in contract.errors.items() if name == what or str(error.value) == what
    }
    if not named and not _NUMBER.fullmatch(what):
        known = [*contract.errors, *contract.rules, *(verdict.value for verdict in Verdict)]
        hint = context.perhaps(what, known)
        raise CommandError(context.say("cli.explain.unknown", what=what, hint=hint))
    code = next(iter(named.values())).value if named else int(what)
    group = contract.error_class(code)
    if not named and group == "unknown":
        raise CommandError(context.say("cli.explain.unknown", what=what, hint=""))
    # A number may have several names; the one that is in use comes first.
    names = sorted(named, key=lambda name: (name != contract.error_name(code), named[name].deprecated, name))
    answer: dict[str, Any] = {
        "name": ", ".join(f"{name}{_marks(named[name], context)}" for name in names)
        or context.say("cli.explain.nameless"),
        "code": str(code),
        "class": context.say(f"class.{group}"),
        "advice": context.say(f"class.{group}.advice"),
    }
    documents = sorted({document for error in named.values() for document in error.doc})
    if documents:
        answer["documents"] = ", ".join(documents)
    rules = [rule for rule in contract.rules.values() if rule.error in named]
    if rules:
        kinds = Counter(rule.type for rule in rules).most_common(4)
        answer["named_by"] = ", ".join(f"{kind} ({number})" for kind, number in kinds)
        by_document = sorted(rules, key=lambda rule: rule.error_from != "doc")[:_CAUSES_SHOWN]
        answer["causes"] = [{"rule": rule.id, "sentence": rule.rule} for rule in by_document]
    return answer


def _marks(error: ErrorCode, context: Context) -> str:
    if not error.deprecated:
        return ""
    instead = f" -> {error.replaced_by}" if error.replaced_by else ""
    return f" ({context.say('deprecated')}{instead})"


COMMAND = Command("explain", configure, run)
