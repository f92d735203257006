"""What is remembered of a case's phases while it runs."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harness.device import Engine
from harness.plugin.case import Case
from harness.plugin.outcome import ProcessLost
from harness.plugin.records import recorded_calls
from harness.plugin.settings import settings_of

ENGINE_KEY = pytest.StashKey[Engine]()
CASE_KEY = pytest.StashKey[Case]()
JUDGED_RULES_KEY = pytest.StashKey[frozenset[str] | None]()


def new_engine(config: pytest.Config, journal: Path | None = None) -> Engine:
    """An engine over the run's target, whose calls are written to `journal` too."""
    settings = settings_of(config)
    return Engine(settings.target, settings.contract, settings.fault, settings.seed, journal)


def engine_of(config: pytest.Config) -> Engine:
    """The engine of this process, made by its first use."""
    found = config.stash.get(ENGINE_KEY, None)
    if found is None:
        found = config.stash[ENGINE_KEY] = new_engine(config)
    return found


@dataclass
class Phases:
    """How the phases of a case have ended: their exceptions, and the calls made until the first one."""

    errors: dict[str, BaseException] = field(default_factory=dict)
    _calls: list[dict[str, Any]] | None = None

    def note(self, config: pytest.Config, call: pytest.CallInfo[None]) -> None:
        """Take in the end of a phase."""
        self.errors.pop(call.when, None)
        if call.excinfo is not None:
            self.errors[call.when] = call.excinfo.value
            self.calls(config)

    @property
    def lost_process(self) -> bool:
        """Whether another process of the case has died or hung: who waits for it would wait for ever."""
        return any(isinstance(error, ProcessLost) for error in self.errors.values())

    def calls(self, config: pytest.Config) -> list[dict[str, Any]]:
        """The calls made until the first exception, or until now where there was none."""
        if self._calls is None:
            engine = config.stash.get(ENGINE_KEY, None)
            loaded = engine is not None and engine.loaded
            self._calls = recorded_calls(engine.library.recorder) if engine is not None and loaded else []
        return self._calls


PHASES_KEY = pytest.StashKey[Phases]()


class Witness:
    """Keeps the exception of each phase of the case that runs."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note the exception beside pytest's report of it."""
        phases = item.stash.get(PHASES_KEY, None)
        if phases is not None:
            phases.note(item.config, call)
        return (yield)
