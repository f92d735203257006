"""JUnit XML, as build servers read it: a suite for each profile, a test case for each record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from harness.contract import Contract
from harness.results import CaseRecord, Counts, Run, Verdict
from harness.results.reproduce import reproduce_line
from harness.results.summary import judge
from harness.results.text import clean, one_line

# What clean() leaves and XML 1.0 does not allow.
_NOT_XML = re.compile("[\ufffe\uffff]")
_OUTPUT_LIMIT = 8_000
_ENDED = frozenset({Verdict.CRASH, Verdict.HANG})


def junit(runs: Sequence[Run], contract: Contract, language: str = "en") -> str:
    """The runs as JUnit XML; the same in every language."""
    judged = [(case, worth, run) for run in runs for case, worth in judge(run)]
    judged.sort(key=lambda entry: entry[0].profile)
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<testsuites {_counts(judged)}>"]
    for profile, group in groupby(judged, key=lambda entry: entry[0].profile):
        entries = list(group)
        started = entries[0][2].header.started.strftime("%Y-%m-%dT%H:%M:%S")
        name = _attribute(profile)
        lines.append(f'<testsuite name={name} timestamp="{started}" {_counts(entries)}>')
        for case, worth, run in entries:
            lines += _case(case, worth, run)
        lines.append("</testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _counts(entries: Sequence[tuple[CaseRecord, Counts, Run]]) -> str:
    bad = [case for case, worth, _ in entries if worth is Counts.BAD]
    errors = sum(case.verdict in _ENDED for case in bad)
    skipped = sum(worth is Counts.NEUTRAL for _, worth, _ in entries)
    seconds = sum(case.duration_s for case, _, _ in entries)
    return (
        f'tests="{len(entries)}" failures="{len(bad) - errors}" errors="{errors}" skipped="{skipped}" '
        f'time="{seconds:.3f}"'
    )


def _case(case: CaseRecord, worth: Counts, run: Run) -> Iterator[str]:
    item = case.id.partition("[")[0]
    place = item.partition("::")[0].removesuffix(".py").replace("/", ".")
    head = f'<testcase classname={_attribute(place)} name={_attribute(case.id)} time="{case.duration_s:.6f}">'
    yield head
    yield "<properties>"
    for name, value in (("verdict", case.verdict.value), ("rules", " ".join(case.rules)), ("api", case.api)):
        yield f'<property name="{name}" value={_attribute(value)}/>'
    yield "</properties>"
    message = _attribute(_message(case))
    if worth is Counts.BAD:
        kind = "error" if case.verdict in _ENDED else "failure"
        told = _text(f"{case.reason}\n\nagain: {reproduce_line(case, run.header)}")
        yield f'<{kind} type="{case.verdict}" message={message}>{told}</{kind}>'
    elif worth is Counts.NEUTRAL:
        yield f"<skipped message={message}/>"
    said = "\n".join(filter(None, (case.error_text, case.log)))
    if said:
        yield f"<system-err>{_text(said)}</system-err>"
    yield "</testcase>"


def _message(case: CaseRecord) -> str:
    if case.waived is not None:
        return f"waived until {case.waived.expires} by {case.waived.owner}: {case.waived.reason}"
    return f"{case.verdict}: {case.reason}"


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", one_line(text, 1_000)))


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", clean(text, _OUTPUT_LIMIT)))
