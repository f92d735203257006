"""A summary in Markdown for the job pages of GitHub and GitLab: the verdict, the counts, the failures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.contract import Contract
from harness.results import Run
from harness.results.summary import MustPassState
from harness.results.text import one_line
from reports.catalogue import text
from reports.model import build

_GROUPS = 40
_PRODUCTS = 30
_SIGNS = {MustPassState.MET: "✅", MustPassState.NOT_MET: "❌", MustPassState.UNDECIDED: "⚪"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~$&@:])")


def markdown(runs: Sequence[Run], contract: Contract, language: str = "en") -> str:
    """The runs as a summary; its size is bounded, whatever the number of failures."""
    report = build(runs, contract)

    def say(key: str, **values: object) -> str:
        return text(language, key, **values)

    lines = [f"## {_SIGNS[report.state]} {say(f'state.{report.state.value}')}", ""]
    if report.kind == "reference":
        lines += [f"**{say('mark.reference')}**", ""]
    for run in report.runs:
        lines.append(f"{_plain(run.title)}: {_plain(', '.join(report.profiles[:_PRODUCTS]))}  ")
    lines += ["", f"| {say('summary.verdict')} | {say('summary.cases')} |", "| --- | ---: |"]
    lines += [f"| {verdict} | {number} |" for verdict, _, number in report.verdicts]
    if report.failures:
        lines += ["", f"### {say('summary.failures')}", ""]
        head = (say("summary.verdict"), say("summary.rule"), say("summary.profiles"), say("summary.cause"))
        lines += [f"| {' | '.join(head)} |", "| --- | --- | --- | --- |"]
    for group in report.failures[:_GROUPS]:
        rules = ", ".join(f"`{_code(rule.id)}`" for rule in group.rules[:3]) or f"`{_code(group.case_id)}`"
        cause = " ".join(filter(None, (group.cause, group.cause_code)))
        profiles = _plain(", ".join(group.profiles))
        lines.append(f"| {group.verdict} | {rules} | {profiles} | {f'`{_code(cause)}`' if cause else ''} |")
    if (more := len(report.failures) - _GROUPS) > 0:
        lines += ["", say("summary.more", number=more)]
    again = [group.reproduce for group in report.failures[:3]]
    if again:
        lines += ["", say("summary.again"), "", "```sh", *(one_line(line, 1_000) for line in again), "```"]
    return "\n".join(lines) + "\n"


def _plain(words: str) -> str:
    """Words that stand for themselves: no markup, no link, nobody mentioned."""
    return _SPECIAL.sub(r"\\\1", one_line(words))


def _code(words: str) -> str:
    """Words inside a code span of a table."""
    return one_line(words).replace("`", "'").replace("|", "\\|")
