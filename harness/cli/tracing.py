"""Which tests cover which rules: the suites are collected in a pytest process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.cli.collecting import OUTPUT_VARIABLE
from harness.cli.command import CommandError, Context, ended_with
from harness.contract import CURRENT_VERSION

VERSIONS = (CURRENT_VERSION, "8.0", "7.0")
"""The CANN versions whose promises the suites are collected for."""

Traces = dict[str, dict[str, int]]
"""Rule id -> test -> number of its cases, the most that one version has."""


def trace(context: Context, rules: Sequence[str] = ()) -> Traces:
    """The tests of these rules, of all where none is given; CommandError where the suites do not collect."""
    merged: Traces = {}
    with tempfile.TemporaryDirectory(prefix="aclcts-trace-") as folder:
        files = [Path(folder) / f"{version}.json" for version in VERSIONS]
        running = [
            _collect(context.root, version, file, rules)
            for version, file in zip(VERSIONS, files, strict=True)
        ]
        # Every process has ended before one of them is judged.
        outputs = [_output(process) for process in running]
        for output, file in zip(outputs, files, strict=True):
            for rule, tests in _collected(output, file, context)["traces"].items():
                known = merged.setdefault(rule, {})
                for test, number in tests.items():
                    known[test] = max(number, known.get(test, 0))
    return merged


def plan(context: Context, words: Sequence[str]) -> list[str]:
    """The ids of the cases that `pytest suites` runs with these options; CommandError where it cannot."""
    with tempfile.TemporaryDirectory(prefix="aclcts-plan-") as folder:
        file = Path(folder) / "plan.json"
        output = _output(_start(context.root, file, words))
        cases: list[str] = _collected(output, file, context)["cases"]
        return cases


def _collected(output: str, file: Path, context: Context) -> dict[str, Any]:
    # Without a file pytest did not come as far; its status also tells of an empty selection.
    if not file.exists():
        raise CommandError(context.say("cli.not_collected", why=_why(output)))
    collected: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if collected["errors"]:
        raise CommandError(context.say("cli.not_collected", why=collected["errors"][0]))
    return collected


def _collect(root: Path, version: str, file: Path, rules: Sequence[str]) -> subprocess.Popen[str]:
    words = ["--target", "reference", "--cann", version]
    return _start(root, file, words + [word for rule in rules for word in ("--rule", rule)])


def _start(root: Path, file: Path, words: Sequence[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pytest", "suites", "--collect-only", "-q", "-p", "no:cacheprovider"]
    command += ["-p", "harness.cli.collecting", *words]
    return subprocess.Popen(
        command,
        cwd=root,
        env={**os.environ, OUTPUT_VARIABLE: str(file)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _output(process: subprocess.Popen[str]) -> str:
    with ended_with(process):
        return process.communicate()[0]


def _why(output: str) -> str:
    """The line of pytest's output that says what went wrong."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("ERROR", "E  "))] or lines or ["no output"]
    return telling[0].removeprefix("ERROR:").strip()
