"""The children's side of a worker: they run the items that the worker names by number."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

import pytest

from harness.device import VISIBLE_DEVICES, DeviceError, share_patterns
from harness.plugin.derived import INSIDE
from harness.plugin.matrix import cell_of
from harness.plugin.phases import ENGINE_KEY, engine_of, new_engine
from harness.plugin.protocol import CaseResult, run_case
from harness.plugin.quick import QuickWay, shows_or_logs

HEALTH = "health"
"""The task that asks whether the device still works."""

# What cases load when they first need it, and a child that runs one case would load anew.
_LOADED_LATE = ("harness.pyacl", "numpy.random")
# The seeds that most cases fill their blocks by are below it.
_COMMON_SEEDS = 4


class CaseWork:
    """Runs cases of a session in the children that isolation forks; answers with their reports and
    records.
    """

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._inside = _Inside()
        self.devices = ""
        """The devices of the host that the children may see, or nothing for all."""

    def prepare(self) -> None:
        """Make the copied session a fresh one, whose reports go nowhere but to the worker."""
        if self.devices:
            os.environ[VISIBLE_DEVICES] = self.devices
        self._keep_output()
        # Set-ups of the worker's own tests are the worker's to tear down.
        self._session._setupstate = type(self._session._setupstate)()
        self._listen_alone()
        self._inside.find_short_way(self._session.config)
        for module in _LOADED_LATE:
            importlib.import_module(module)
        share_patterns(_COMMON_SEEDS)

    def _keep_output(self) -> None:
        """Capture what is written between the phases of cases too: a library writes when it likes.

        Where pytest itself writes from inside a phase, it has to be let.
        """
        config = self._session.config
        capture: Any = config.pluginmanager.get_plugin("capturemanager")
        if capture is not None and capture.is_globally_capturing() and not shows_or_logs(config):
            capture.resume_global_capture()
            capture.suspend_global_capture = _go_on

    def start(self, journal: Path) -> None:
        """Have an engine whose calls are written to the journal."""
        config = self._session.config
        config.stash[ENGINE_KEY] = new_engine(config, journal)

    def _listen_alone(self) -> None:
        """Let reports and warnings come to this object, and to nobody else."""
        config, manager = self._session.config, self._session.config.pluginmanager
        manager.register(self._inside, INSIDE)
        for name in ("pytest_runtest_logreport", "pytest_warning_recorded"):
            listening = [impl.plugin for impl in getattr(manager.hook, name).get_hookimpls()]
            others = [plugin for plugin in listening if plugin is not self._inside]
            only = manager.subset_hook_caller(name, others)
            # config.hook may be a proxy that remembers hooks.
            setattr(manager.hook, name, only)
            setattr(config.hook, name, only)

    def run(self, task: dict[str, Any]) -> dict[str, Any]:
        """Run the case of number `item`, keeping what the case of number `next` shares with it."""
        config = self._session.config
        if task.get("task") == HEALTH:
            return self._check_health()
        items = self._session.items
        item = items[task["item"]]
        following = items[task["next"]] if task["next"] is not None else None
        inside = self._inside
        inside.begin(task.get("rules"))
        try:
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        except pytest.exit.Exception as stop:
            return {"exit": str(stop.msg), "returncode": stop.returncode}
        except KeyboardInterrupt:
            return {"exit": "KeyboardInterrupt in a case", "returncode": None}
        return self._answer(item, inside)

    def finish(self) -> None:
        """Tear down what is still set up, and leave the device."""
        self._session._setupstate.teardown_exact(None)
        engine = self._session.config.stash.get(ENGINE_KEY, None)
        if engine is not None:
            engine.close()

    def _answer(self, item: pytest.Item, inside: _Inside) -> dict[str, Any]:
        result = inside.result
        if result is None:
            raise RuntimeError(f"{item.nodeid} gave no result")
        answer: dict[str, Any] = {"records": result.records, "warnings": inside.warnings}
        if result.spent:
            answer["spent"] = True
        if result.times is not None:
            answer["passed"] = result.times
        else:
            serial = item.config.hook.pytest_report_to_serializable
            answer["reports"] = [serial(config=item.config, report=report) for report in result.reports]
        if inside.subreports:
            serial = item.config.hook.pytest_report_to_serializable
            answer["subreports"] = [serial(config=item.config, report=report) for report in inside.subreports]
        return answer

    def _check_health(self) -> dict[str, Any]:
        try:
            engine_of(self._session.config).check_health()
        except DeviceError as error:
            return {"problem": str(error)}
        return {"problem": ""}


def _go_on(in_: bool = False) -> None:
    """Instead of suspending the capture of output."""


class _Inside:
    """The plugin that takes the place of everything that listens to reports in a child."""

    def __init__(self) -> None:
        self._quick: QuickWay | None = None
        self.begin(None)

    def find_short_way(self, config: pytest.Config) -> None:
        """See which cases can take the short way, now that nobody else listens."""
        self._quick = QuickWay(config)

    def begin(self, rules: list[str] | None) -> None:
        """Forget the case before."""
        self._rules = rules
        self.result: CaseResult | None = None
        self.subreports: list[pytest.TestReport] = []
        self.warnings: list[list[Any]] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run the case here."""
        if cell_of(item) is None:
            return None
        self.result = run_case(item, nextitem, self._rules, self._quick)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what a subtest has to say, where that is more than that it passed."""
        if report.outcome != "passed":
            self.subreports.append(report)

    def pytest_warning_recorded(self, warning_message: Any, when: str, nodeid: str, location: Any) -> None:
        """Keep a warning for the worker to tell."""
        category = warning_message.category
        known = category.__name__ if category.__module__ == "builtins" else "UserWarning"
        self.warnings.append(
            [str(warning_message.message), known, warning_message.filename, warning_message.lineno]
        )
