"""The cases of one collection, run once for each fault, in processes forked from the one that collected."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from harness.plugin.matrix import CASE, cell_of, rules_of
from harness.plugin.resume import Resumed
from harness.plugin.session import STOPPED, RunSession
from harness.plugin.settings import Settings
from harness.results.reproduce import item_of
from harness.results.sweep import (
    Job,
    Plan,
    bad_cases,
    faulty_results,
    healthy_results,
    log_of,
    note_end,
)


class Sweep:
    """The hook that takes the place of the run: `--sweep PLAN`."""

    def __init__(self, config: pytest.Config, settings: Settings, plan: Plan) -> None:
        self._config = config
        self._settings = settings
        self._plan = plan

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the jobs, some at a time, and say of each that it is over."""
        if session.testsfailed:
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        if session.config.option.collectonly:
            return True
        folder = self._settings.results
        folder.mkdir(parents=True, exist_ok=True)
        running: dict[int, int] = {}
        try:
            for number, job in enumerate(self._plan.jobs):
                while len(running) >= self._plan.at_once:
                    self._await_one(running)
                running[_fork(partial(self._do, session, number, job))] = number
            while running:
                self._await_one(running)
        finally:
            for pid in running:
                os.kill(pid, 15)
        return True

    def _await_one(self, running: dict[int, int]) -> None:
        pid, status = os.wait()
        if pid in running:
            note_end(self._settings.results, running.pop(pid), os.waitstatus_to_exitcode(status))

    def _do(self, session: pytest.Session, number: int, job: Job) -> int:
        """Run a job's cases with the fault, and those that are bad again without it."""
        folder = self._settings.results
        _print_to(log_of(folder, number))
        items = _cases_of(session.items, job)
        faulty = faulty_results(folder, number)
        pid = _fork(partial(self._run, session, items, faulty, job.fault, job.brief))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if status != 0:
            return status
        bad = {item_of(case) for case in bad_cases(faulty, job.fault)}
        if not bad:
            return 0
        again = [item for item in items if item.nodeid in bad]
        return self._run(session, again, healthy_results(folder, number), "")

    def _run(
        self,
        session: pytest.Session,
        items: Sequence[pytest.Item],
        folder: Path,
        fault: str,
        brief: bool = False,
    ) -> int:
        """Run some cases with a fault into a results folder; 0 where the run came to its end."""
        config, settings = self._config, self._settings
        settings.options.update(fault=fault or None, results=str(folder))
        config.pluginmanager.unregister(name="terminalreporter")
        recording = RunSession(config, settings, eager=True, resumed=Resumed(), page=False)
        config.pluginmanager.register(recording, "aclcts-session")
        session.items = list(items)
        recording.open()
        session.testsfailed = 0
        for item, following in zip_longest(items, items[1:]):
            if not (brief and recording.bad_rules.issuperset(rules_of(item))):
                # A case that may be left out must not be waited for.
                following = None if brief else following
                config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        status = pytest.ExitCode.TESTS_FAILED if session.testsfailed else pytest.ExitCode.OK
        config.hook.pytest_sessionfinish(session=session, exitstatus=status)
        return 0 if session.exitstatus in (0, 1) else STOPPED


def _fork(work: Callable[[], int]) -> int:
    """Do the work in a child process, which ends with what it returns; the child's id."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    status = STOPPED
    try:
        status = work()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _print_to(log: Path) -> None:
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)


def _cases_of(items: Sequence[pytest.Item], job: Job) -> list[pytest.Item]:
    """The items of a job; a derived one is left with the rules that the job asks for."""
    wanted = frozenset(job.rules)
    chosen: list[pytest.Item] = []
    for item in items:
        cell = cell_of(item)
        if cell is None:
            continue
        rules = tuple(rule for rule in cell.rules if not wanted or rule.id in wanted)
        if not rules:
            continue
        if cell.derived and len(rules) < len(cell.rules):
            params: dict[str, Any] = item.callspec.params  # type: ignore[attr-defined]
            params[CASE] = replace(cell, rules=rules)
        chosen.append(item)
    return _on_few_profiles(chosen, frozenset(job.decisive)) if job.decisive else chosen


def _on_few_profiles(items: Sequence[pytest.Item], decisive: frozenset[str]) -> list[pytest.Item]:
    """The items of as few profiles as have a case of every decisive rule that has one at all."""
    shown: dict[object, set[str]] = {}
    for item in items:
        cell = cell_of(item)
        if cell is not None:
            rules = {rule.id for rule in cell.rules}
            shown.setdefault(cell.profile, set()).update(rules & decisive)
    open_rules = set().union(*shown.values()) if shown else set()
    kept: set[object] = set()
    while open_rules:
        best = max(shown, key=lambda profile: len(shown[profile] & open_rules))
        kept.add(best)
        open_rules -= shown[best]
    return [item for item in items if (cell := cell_of(item)) is not None and cell.profile in kept]
