"""The pytest plugin: `pytest_plugins = ["harness.plugin"]` in a root conftest.py, or `-p harness.plugin`.

What a suite imports from here: the decorators, and the names of the types that fixtures give.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from harness.device import Block, BlockKind, Bytes, Profile, UsageError, pattern
from harness.plugin import fixtures
from harness.plugin.benchmarks import AfterWorkers, Benchmarks, benchmarks
from harness.plugin.case import Case, Hold, Memory, Resources
from harness.plugin.companions import Companion, companion
from harness.plugin.derived import RuleCases, RuleCheck
from harness.plugin.expect import Expect, told
from harness.plugin.folding import Unfolding
from harness.plugin.last_calls import inside, journal_of, last_calls
from harness.plugin.marks import (
    MARKERS,
    covers,
    covers_each,
    covers_rules,
    deadline,
    isolated,
    sequential,
    surfaces,
)
from harness.plugin.matrix import Cell, Matrix, cell_of, rules_of
from harness.plugin.models import Models
from harness.plugin.outcome import Blocked, ProcessLost, RuleViolation
from harness.plugin.phases import Witness
from harness.plugin.quick import debugs
from harness.plugin.resume import Resumed, resume
from harness.plugin.runner import CaseRunner
from harness.plugin.session import RunSession, cores, end_with_usage_error, refuse_options
from harness.plugin.settings import (
    Settings,
    add_options,
    check_root,
    is_conformance_run,
    runs_no_case,
    settings_of,
)
from harness.plugin.sweep import Sweep
from harness.results import ResultsError
from harness.results.sweep import Plan

__all__ = [
    "Block",
    "BlockKind",
    "Blocked",
    "Bytes",
    "Case",
    "Cell",
    "Companion",
    "Expect",
    "Hold",
    "Memory",
    "Models",
    "ProcessLost",
    "Profile",
    "Resources",
    "RuleCases",
    "RuleCheck",
    "RuleViolation",
    "benchmarks",
    "cell_of",
    "companion",
    "covers",
    "covers_each",
    "covers_rules",
    "deadline",
    "inside",
    "isolated",
    "journal_of",
    "last_calls",
    "pattern",
    "rules_of",
    "sequential",
    "surfaces",
    "told",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of a run, and let a wrong one of anybody's be a line and exit status 2."""
    add_options(parser)
    if sys.stdout is None:
        # It was closed; pytest flushes it at the end all the same.
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    parser.optparser.error = refuse_options  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, Any, Any]:
    """Give usage errors, and only them, one line and exit status 2."""
    try:
        return (yield)
    except pytest.UsageError as error:
        return end_with_usage_error(error)


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One worker for each device on hardware, for each core elsewhere."""
    if not is_conformance_run(config):
        return None
    settings = settings_of(config)
    settings.check()
    target = settings.target
    return max(1, target.detected.devices) if target.hardware else cores()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Check the options and set up what collects, runs and reports cases."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    settings = settings_of(config)
    eager = is_conformance_run(config)
    is_worker = hasattr(config, "workerinput")
    if eager:
        # No suite draws examples, and at its end every run would import all of hypothesis.
        config.pluginmanager.unregister(name="hypothesispytest")
    settings.check()
    resumed = Resumed()
    if eager and not is_worker and not config.option.help:
        check_root(config)
        settings.check_places(runs_no_case(config))
        _ = settings.target
        resumed = _resume(settings)
        _stop_when_told(config)
    register = config.pluginmanager.register
    register(fixtures, "aclcts-fixtures")
    register(Matrix(settings), "aclcts-matrix")
    register(Witness(), "aclcts-witness")
    in_process = settings.isolate == "none" or debugs(config)
    register(CaseRunner(settings, in_process), "aclcts-runner")
    register(Unfolding(config), "aclcts-unfolding")
    plan = config.option.sweep
    if plan:
        register(Sweep(config, settings, _plan(plan, settings)), "aclcts-sweep")
    elif not is_worker:
        run = RunSession(config, settings, eager, resumed)
        register(run, "aclcts-session")
        register(AfterWorkers(config, settings, run), "aclcts-after-workers")
    register(Benchmarks(settings, is_worker), "aclcts-benchmarks")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> Generator[None, None, None]:
    """Leave to the summary what it shows: for each failure it looks through all tear-downs of the run."""
    if is_conformance_run(config) and config.option.durations is None:
        reports = terminalreporter.stats.get("", [])
        terminalreporter.stats[""] = [report for report in reports if report.sections]
    yield


def _stop_when_told(config: pytest.Config) -> None:
    """Let SIGTERM, which a build server stops a job with, end the run as Ctrl-C does: in order, status 3."""
    alone = threading.current_thread() is threading.main_thread()
    if not alone or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return

    def restore() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    config.add_cleanup(restore)


def _plan(file: str, settings: Settings) -> Plan:
    """The plan in a file. A library built before a fault was written does not know it: no case would run."""
    try:
        plan = Plan.read(Path(file))
    except ResultsError as error:
        raise pytest.UsageError(f"--sweep: {error}") from None
    settings.check_faults("--sweep", (job.fault for job in plan.jobs))
    return plan


def _resume(settings: Settings) -> Resumed:
    """What is kept of the run before, where one shall go on; the settings learn which items are done."""
    if not settings.options.get("resume"):
        return Resumed()
    try:
        resumed = resume(settings)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    settings.done = resumed.done
    return resumed


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker which library is tested, and in which order, so that it need not find out again."""
    if is_conformance_run(node.config):
        settings = settings_of(node.config)
        node.workerinput["aclcts"] = {
            "target": settings.target.to_json(),
            "done": sorted(settings.done),
            "shuffle": settings.shuffle,
        }
