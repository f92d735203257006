"""`aclcts rules`: a rule with its document, its tests, its faults and the reference device's code."""

from __future__ import annotations

import argparse
import fnmatch
import re
from collections.abc import Sequence
from typing import Any

from harness.cli.command import GOOD, Command, CommandError, Context, add_json, print_json, table
from harness.cli.tracing import Traces, trace
from harness.contract import Rule
from harness.faults import faults_of, load_faults


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    parser.add_argument("ids", metavar="ID", nargs="*", help=context.say("cli.rules.ids"))
    parser.add_argument("--no-tests", action="store_true", help=context.say("cli.rules.no_tests"))
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the rules asked for; without an id, a line for every rule there is."""
    rules = find(options.ids, context)
    if not options.ids:
        if options.json:
            print_json({rule.id: rule.rule for rule in rules})
        else:
            print(table([(rule.id, rule.rule) for rule in rules]))
        return GOOD
    told = tell(rules, context, with_tests=not options.no_tests)
    if options.json:
        print_json(told)
    else:
        print("\n\n".join(_shown(rule, context) for rule in told))
    return GOOD


def find(patterns: Sequence[str], context: Context) -> list[Rule]:
    """The rules that ids or patterns with * and ? name; CommandError for one that names none."""
    every = context.contract.rules
    found: dict[str, Rule] = {} if patterns else dict(every)
    for pattern in patterns:
        ids = [pattern] if pattern in every else fnmatch.filter(every, pattern)
        if not ids:
            hint = context.perhaps(pattern, every)
            raise CommandError(context.say("cli.rules.unknown", id=pattern, hint=hint))
        found.update((rule, every[rule]) for rule in ids)
    return list(found.values())


def tell(rules: Sequence[Rule], context: Context, with_tests: bool = True) -> list[dict[str, Any]]:
    """Everything known about the rules, as the JSON of `--json`."""
    faults = load_faults(context.contract)
    traces: Traces = trace(context, [rule.id for rule in rules]) if with_tests else {}
    told = []
    for rule in rules:
        facts: dict[str, Any] = {
            "id": rule.id,
            "api": rule.api,
            "rule": rule.rule,
            "type": rule.type,
            "strength": rule.strength,
            "expect": rule.expect,
            "error": rule.error,
            "products": rule.products,
            "forms": rule.forms,
            "versions": rule.versions,
            "doc": rule.doc,
            "check": rule.check,
            "note": rule.note,
            "untestable": rule.untestable,
            "tests": traces.get(rule.id, {}) if with_tests else None,
            "faults": faults_of(rule.id, faults),
            "reference": reference_code(rule.api, context),
        }
        told.append({name: value for name, value in facts.items() if value is not None})
    return told


def reference_code(api: str, context: Context) -> str | None:
    """Where the reference device defines a function, as `file:line` in the checkout, or None."""
    if context.checkout is None:
        return None
    definition = re.compile(rf"^[\w *]*\b{re.escape(api)}\s*\(")
    for file in sorted((context.checkout / "reference" / "src").rglob("*.cpp")):
        source = file.read_text(encoding="utf-8", errors="replace")
        if api not in source:
            continue
        for number, line in enumerate(source.splitlines(), start=1):
            if (
                definition.match(line)
                and not line.rstrip().endswith(";")
                and not line.startswith((" ", "\t"))
            ):
                return f"{file.relative_to(context.checkout).as_posix()}:{number}"
    return None


def _shown(rule: dict[str, Any], context: Context) -> str:
    say = context.say
    outcome = rule["expect"] + (f" {rule['error']}" if "error" in rule else "")
    lines = [f"{rule['id']}  ({say('strength.' + rule['strength'])})", f"  {rule['rule']}"]
    where = f"{_listed(rule['products'])}; {_listed(rule['forms'])}; CANN {rule['versions']}"
    rows = [
        (say("column.function"), rule["api"]),
        (say("cli.rules.outcome"), f"{outcome} ({rule['type']})"),
        (say("column.profiles"), where),
        (say("cli.rules.document"), rule["doc"]),
        (say("cli.rules.check"), rule["check"]),
    ]
    rows += [
        (say(f"cli.rules.{name}"), rule[name]) for name in ("note", "untestable", "reference") if name in rule
    ]
    rows.append((say("cli.rules.faults"), ", ".join(rule["faults"]) or say("cli.none")))
    lines.append(table(rows, "  "))
    if "tests" in rule:
        tests = [
            f"    {test}  ({say('cli.rules.cases', number=number)})" for test, number in rule["tests"].items()
        ]
        lines += [f"  {say('cli.rules.tests')}", *(tests or [f"    {say('cli.none')}"])]
    return "\n".join(lines)


def _listed(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


COMMAND = Command("rules", configure, run)
