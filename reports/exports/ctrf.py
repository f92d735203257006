"""CTRF, the common test report format: one JSON document."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from harness import __version__
from harness.contract import Contract
from harness.results import CaseRecord, Counts, Run
from harness.results.summary import judge
from harness.results.text import arguments, clean, one_line

_SPECIFICATION = "1.0.0"
_NAMES = uuid.UUID("6f0f6a44-5a3b-5a6e-9d1c-2f8e1b7c4d90")
"""The name space of the ids of cases: the same case has the same id in every run."""

_STATUS = {Counts.GOOD: "passed", Counts.REMARK: "passed", Counts.NEUTRAL: "skipped", Counts.BAD: "failed"}
_CALLS = 60


def ctrf(runs: Sequence[Run], contract: Contract, language: str = "en") -> str:
    """The runs as a CTRF document; the same in every language."""
    tests = [_test(case, worth) for run in runs for case, worth in judge(run)]
    counted = Counter(test["status"] for test in tests)
    start = min(_milliseconds(run.header.started) for run in runs)
    stop = max(_milliseconds(run.footer.finished if run.footer else run.header.started) for run in runs)
    header = runs[0].header
    document = {
        "reportFormat": "CTRF",
        "specVersion": _SPECIFICATION,
        "generatedBy": "ascend-cts",
        "results": {
            "tool": {"name": "ascend-cts", "version": __version__},
            "summary": {
                "tests": len(tests),
                **{name: counted[name] for name in ("passed", "failed", "skipped", "pending", "other")},
                "start": start,
                "stop": stop,
            },
            "tests": tests,
            "environment": {
                "extra": {
                    "target": one_line(header.target.label),
                    "cann": one_line(header.cann),
                    "products": [one_line(product) for product in header.products],
                    "contract": one_line(header.contract.version),
                }
            },
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _test(case: CaseRecord, worth: Counts) -> dict[str, Any]:
    file = case.id.partition("::")[0]
    made: dict[str, Any] = {
        "id": str(uuid.uuid5(_NAMES, case.id)),
        "name": one_line(case.id, 1_000),
        "status": _STATUS[worth],
        "rawStatus": case.verdict.value,
        "duration": round(case.duration_s * 1000),
        "suite": [one_line(case.profile), one_line(case.api) or "-"],
        "filePath": one_line(file),
        "tags": [one_line(rule) for rule in case.rules],
    }
    if case.reason:
        made["message"] = clean(case.reason)
    if case.calls:
        made["trace"] = "\n".join(
            f"{one_line(call.function)}({arguments(call.args)}) -> "
            f"{call.code if call.returned else 'did not return'}"
            for call in case.calls[-_CALLS:]
        )
    if case.waived is not None:
        made["extra"] = {"waived": {"owner": one_line(case.waived.owner), "expires": case.waived.expires}}
    return made


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
