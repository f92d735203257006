"""Telling a person or a program what keeps results from being what a release stands on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from harness.cli.command import BAD, GOOD, Context
from harness.results.qualification import Finding, Qualification, State
from harness.results.text import one_line

_SHOWN = 60
_SIGNS = {State.MET: "✓", State.NOT_MET: "✗", State.INCOMPLETE: "○"}


def told(qualification: Qualification, context: Context) -> str:
    """The judgement in a line, then a line for each finding."""
    say = context.say
    title = say(
        "cli.findings.summary",
        state=say(f"finding.state.{qualification.state.name.lower()}"),
        held=qualification.held,
        required=qualification.required,
        waived=qualification.waived,
        blocked=qualification.blocked,
    )
    lines = [f"{_SIGNS[qualification.state]} {title}"]
    lines += [_line(finding, context) for finding in qualification.findings[:_SHOWN]]
    if (more := len(qualification.findings) - _SHOWN) > 0:
        lines.append(say("cli.findings.more", number=more))
    return "\n".join(lines)


def _line(finding: Finding, context: Context) -> str:
    place = f"{finding.profile} " if finding.profile else ""
    words = context.say(f"finding.{finding.kind}")
    detail = f" ({one_line(finding.detail)})" if finding.detail else ""
    return f"  {place}{one_line(finding.id)}: {words}{detail}"


def as_json(qualification: Qualification) -> dict[str, Any]:
    """The judgement for a program."""
    return {**asdict(qualification), "state": qualification.state.value}


def status(qualification: Qualification) -> int:
    """GOOD where a release may stand on the results."""
    return GOOD if qualification.state is State.MET else BAD
