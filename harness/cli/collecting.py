"""A pytest plugin that only collects and writes which cases there are and which rules they cover.

Loaded with `-p harness.cli.collecting`; the environment variable names the file to write.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from harness.plugin import cell_of, rules_of

OUTPUT_VARIABLE = "ACLCTS_TRACE_FILE"


_errors: list[str] = []


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Remember what could not be collected."""
    if report.failed:
        lines = [line.strip() for line in report.longreprtext.splitlines() if line.strip()]
        told = [line.removeprefix("E").strip() for line in lines if line.startswith("E  ")] or lines
        _errors.append(f"{report.nodeid}: {told[-1] if told else 'failed'}")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Write the errors, the cases' ids, and {rule id: {test: number of its cases}}, as JSON."""
    traces: dict[str, dict[str, int]] = {}
    cases = []
    for item in items:
        if cell_of(item) is not None:
            cases.append(item.nodeid)
        test = item.nodeid.partition("[")[0]
        for rule in rules_of(item):
            tests = traces.setdefault(rule, {})
            tests[test] = tests.get(test, 0) + 1
    collected = {"errors": _errors, "cases": cases, "traces": traces}
    Path(os.environ[OUTPUT_VARIABLE]).write_text(json.dumps(collected), encoding="utf-8")
