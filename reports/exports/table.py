"""CSV: a line for each record, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from harness.contract import Contract
from harness.results import CaseRecord, Counts, Run
from harness.results.summary import judge
from harness.results.text import one_line

COLUMNS = (
    "id",
    "rules",
    "api",
    "product",
    "form",
    "cann",
    "surface",
    "verdict",
    "counts_as",
    "strength",
    "first_cause",
    "first_code",
    "reason",
    "observed",
    "waived_by",
    "waived_until",
    "duration_s",
)
_LONGEST = 2_000
# What a spreadsheet would take for a formula.
_FORMULA = ("=", "+", "-", "@", "\t")


def table(runs: Sequence[Run], contract: Contract, language: str = "en") -> str:
    """The runs as CSV with a line of names; the same in every language."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for run in runs:
        for case, worth in judge(run):
            writer.writerow([_cell(value) for value in _row(case, worth, contract)])
    return buffer.getvalue()


def _row(case: CaseRecord, worth: Counts, contract: Contract) -> list[str]:
    cause = case.first_cause
    known = [contract.rules[rule].strength for rule in case.rules if rule in contract.rules]
    return [
        case.id,
        " ".join(case.rules),
        case.api,
        case.product,
        case.form,
        case.cann,
        case.surface,
        case.verdict.value,
        worth.value,
        " ".join(dict.fromkeys(known)),
        cause.function if cause is not None else "",
        str(cause.code) if cause is not None and cause.code is not None else "",
        case.reason,
        case.observed,
        case.waived.owner if case.waived is not None else "",
        case.waived.expires if case.waived is not None else "",
        f"{case.duration_s:.6f}",
    ]


def _cell(text: str) -> str:
    plain = one_line(text, _LONGEST)
    return f"'{plain}" if plain.startswith(_FORMULA) else plain
