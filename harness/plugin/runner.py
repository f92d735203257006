"""The worker's side of running cases: it hands them to child processes and takes in how they ended."""

from __future__ import annotations

import builtins
import contextlib
import fcntl
import gc
import importlib
import os
import re
import tempfile
import time
import warnings
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.binding import type_map
from harness.device import DeviceLease, visible_devices
from harness.isolation import COLLECT_LESS_OFTEN, ChildDied, Death, Supervisor
from harness.plugin.companions import close_nursery, open_nursery
from harness.plugin.folding import Folding, passed_reports
from harness.plugin.last_calls import last_calls, where
from harness.plugin.matrix import Cell, cell_of
from harness.plugin.phases import ENGINE_KEY
from harness.plugin.protocol import CaseResult, attach_records, run_case
from harness.plugin.records import legible, record, trace
from harness.plugin.settings import Settings, is_conformance_run
from harness.plugin.worker import HEALTH, CaseWork
from harness.results import Verdict

_HEALTH_DEADLINE_S = 10.0
_LEASE_PATIENCE_S = 300.0
_OWN_FRAME = re.compile(
    r'  File "([^"]*/(_pytest|pluggy|xdist|execnet|pytest|harness/(plugin|isolation))/|<(string|frozen))'
)
_SEQUENTIAL_LOCK = "aclcts-sequential.lock"


class CaseRunner:
    """The hooks that run cases; every other item runs as pytest runs it."""

    def __init__(self, settings: Settings, in_process: bool) -> None:
        self._settings = settings
        self._in_process = in_process
        self._supervisor: Supervisor | None = None
        self._numbers: dict[int, int] = {}
        self._leases: list[DeviceLease] = []
        self._check_device = False
        self._prepared = False
        self._quarantine = ""
        self._folding: Folding | None = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Fork the process that forks others while this one is still small; then collect."""
        config = session.config
        if not is_conformance_run(config):
            return (yield)
        if not config.pluginmanager.has_plugin("dsession"):
            self._prepare()
        # Everything that is made now stays: looking for garbage among it took a fifth of the time.
        gc.disable()
        try:
            return (yield)
        finally:
            gc.freeze()
            gc.set_threshold(*COLLECT_LESS_OFTEN)
            gc.enable()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run a case, and log its reports with its records."""
        cell = cell_of(item)
        if cell is None:
            return None
        messages = self._messages(item.config)
        messages.begin(item)
        with _sequential(item):
            result = self._run(item, cell, nextitem)
        attach_records(result.main, result.records)
        messages.end(item, result.reports, quiet=result.times is not None)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End the children and give the device back."""
        if self._supervisor is not None:
            self._supervisor.close()
        if self._in_process and ENGINE_KEY in session.config.stash:
            session._setupstate.teardown_exact(None)
            session.config.stash[ENGINE_KEY].close()
        close_nursery()
        for lease in self._leases:
            lease.release()

    def _run(self, item: pytest.Item, cell: Cell, nextitem: pytest.Item | None) -> CaseResult:
        self._prepare()
        if self._in_process:
            return run_case(item, nextitem)
        if self._quarantine:
            return self._not_run(item, cell)
        supervisor = self._supervisor or self._start(item.session)
        if self._quarantine:
            return self._not_run(item, cell)
        fresh = self._wants_process(item)
        kept = (
            nextitem is not None
            and not fresh
            and cell_of(nextitem) is not None
            and not self._wants_process(nextitem)
        )
        task = {"item": self._numbers[id(item)], "next": self._numbers[id(nextitem)] if kept else None}
        start = time.time()
        try:
            answer = supervisor.run(task, self._deadline(item), fresh)
        except ChildDied as died:
            result = self._bury(item, cell, died.death, start)
            self._look_after_device(item)
            return result
        if supervisor.idle_death is not None:
            warnings.warn(
                f"the process that ran the cases before {item.nodeid} died after they had ended: "
                f"{supervisor.idle_death}",
                pytest.PytestWarning,
                stacklevel=1,
            )
        return self._take_in(item, answer)

    def _messages(self, config: pytest.Config) -> Folding:
        # Not before the first case: what sends reports comes after this plugin.
        if self._folding is None:
            self._folding = Folding(config)
        return self._folding

    def _prepare(self) -> None:
        """Load once what every process of a case needs, and fork the process that forks others."""
        if self._prepared:
            return
        self._prepared = True
        type_map(self._settings.contract).prepare()
        if "pyacl" in self._settings.surfaces:
            importlib.import_module("harness.pyacl")
        open_nursery()

    def _not_run(self, item: pytest.Item, cell: Cell) -> CaseResult:
        ids = [(f"{item.nodeid}::{rule.id}", [rule.id]) for rule in cell.rules]
        records = [
            record(record_id, cell, Verdict.BLOCKED, rules=rules, reason=self._quarantine)
            for record_id, rules in (ids if cell.derived else [(item.nodeid, None)])
        ]
        return self._ended(item, records, "", [])

    def _start(self, session: pytest.Session) -> Supervisor:
        self._numbers = {id(item): number for number, item in enumerate(session.items)}
        work = CaseWork(session)
        target = self._settings.target
        if target.hardware:
            alone = not hasattr(session.config, "workerinput")
            self._leases = _wait_for_devices(visible_devices(target.detected.devices), 2 if alone else 1)
            if not self._leases:
                self._quarantine = "every device of this host is in use by other workers or runs"
            work.devices = ",".join(lease.device for lease in self._leases)
        self._supervisor = Supervisor(work)
        # A device that fails the check before anything was run cannot be judged by it later.
        self._check_device = target.kind != "reference" and not self._device_problem()
        return self._supervisor

    def _wants_process(self, item: pytest.Item) -> bool:
        return self._settings.isolate == "all" or item.get_closest_marker("isolated") is not None

    def _deadline(self, item: pytest.Item) -> float:
        mark = item.get_closest_marker("deadline")
        return float(mark.args[0]) if mark is not None else self._settings.deadline

    def _take_in(self, item: pytest.Item, answer: dict[str, Any]) -> CaseResult:
        if "exit" in answer:
            pytest.exit(answer["exit"], answer["returncode"])
        for message, category, filename, line in answer["warnings"]:
            kind = getattr(builtins, category, UserWarning)
            warnings.warn_explicit(message, kind, filename, line)
        times = answer.get("passed")
        if times is not None:
            reports = _passed(item, times)
        else:
            reports = [self._revive(item, data) for data in answer["reports"]]
        before = [self._revive(item, data) for data in answer.get("subreports", ())]
        if answer.get("spent") and self._supervisor is not None:
            self._supervisor.renew()
        told = [*reports[:1], *before, *reports[1:]]
        return CaseResult(told, answer["records"], times=None if before else times)

    def _revive(self, item: pytest.Item, data: dict[str, Any]) -> pytest.TestReport:
        report: pytest.TestReport = item.config.hook.pytest_report_from_serializable(
            config=item.config, data=data
        )
        return report

    def _bury(self, item: pytest.Item, cell: Cell, death: Death, start: float) -> CaseResult:
        """The result of a case whose process died; a derived one is tried rule by rule in processes of their
        own.
        """
        if cell.derived:
            return self._rule_by_rule(item, cell)
        made, text, sections = self._obituary(item, cell, death, item.nodeid, None, start)
        return self._ended(item, [made], text, sections)

    def _rule_by_rule(self, item: pytest.Item, cell: Cell) -> CaseResult:
        records: list[dict[str, Any]] = []
        texts: list[str] = []
        sections: list[tuple[str, str]] = []
        self._take_output(item)
        for rule in cell.rules:
            task = {"item": self._numbers[id(item)], "next": None, "rules": [rule.id]}
            start = time.time()
            try:
                answer = self._supervisor.run(task, self._deadline(item), True) if self._supervisor else {}
                records += answer["records"]
            except ChildDied as died:
                made, text, more = self._obituary(
                    item, cell, died.death, f"{item.nodeid}::{rule.id}", rule.id, start
                )
                records.append(made)
                if text:
                    texts.append(f"{rule.id}: {text}")
                sections += more
        strict = self._settings.strict
        bad = [made for made in records if Verdict(made["verdict"]).is_bad(strict)]
        told = [f"{made['id'].split('::')[-1]}: {made['verdict']}: {made.get('reason', '')}" for made in bad]
        return self._ended(item, records, "\n".join(dict.fromkeys(texts + told)) if bad else "", sections)

    def _obituary(
        self, item: pytest.Item, cell: Cell, death: Death, record_id: str, rule: str | None, start: float
    ) -> tuple[dict[str, Any], str, list[tuple[str, str]]]:
        """The record, the message and the report sections of a death."""
        journal = self._supervisor.journal if self._supervisor is not None else None
        calls = last_calls(journal, self._settings.contract)
        reason = f"{death}{where(calls, journal, self._settings.contract)}"
        out, err = self._take_output(item)
        verdict = Verdict.HANG if death.kind == "hang" else Verdict.CRASH
        made = record(
            record_id,
            cell,
            verdict,
            rules=[rule] if rule is not None else None,
            reason=reason,
            duration=time.time() - start,
            calls=calls,
            log=f"{out}{err}",
            excuse=self._settings.excuse,
        )
        sections = [
            ("ACL calls", trace(made.get("calls", []))),
            ("Captured stdout", out),
            ("Captured stderr", err),
        ]
        text = "" if made["verdict"] == Verdict.WAIVED.value else f"{verdict}: {reason}"
        return made, text, [(name, legible(content)) for name, content in sections if content]

    def _take_output(self, item: pytest.Item) -> tuple[str, str]:
        """What the dead child has written: it shares the capture files with this process."""
        capture: Any = item.config.pluginmanager.get_plugin("capturemanager")
        if capture is None or not capture.is_globally_capturing():
            return "", ""
        captured = capture.read_global_capture()
        return str(captured.out), _without_own_frames(str(captured.err))

    def _ended(
        self, item: pytest.Item, records: list[dict[str, Any]], text: str, sections: list[tuple[str, str]]
    ) -> CaseResult:
        """The result of a case that gave no reports: failed with a text, skipped where it was blocked, else
        passed.
        """
        blocked = bool(records) and all(made["verdict"] == Verdict.BLOCKED.value for made in records)
        times = [[time.time(), time.time(), 0.0]] * 3
        reports = _passed(item, times)
        main = reports[1]
        main.duration = sum(made.get("duration_s", 0.0) for made in records)
        main.sections = sections
        if text:
            main.outcome, main.longrepr = "failed", text
        elif blocked:
            path, line, _ = item.location
            main.outcome = "skipped"
            main.longrepr = (path, (line or 0) + 1, f"Skipped: {records[0].get('reason', '')}")
        return CaseResult(reports, records)

    def _look_after_device(self, item: pytest.Item) -> None:
        """After a death on hardware: see that the device still works, or run nothing more on it."""
        if not self._check_device:
            return
        problem = self._device_problem()
        if problem:
            name = f"device {self._leases[0].device}" if self._leases else "the device"
            self._quarantine = f"{name} is quarantined since {item.nodeid}: {problem}"

    def _device_problem(self) -> str:
        if self._supervisor is None:
            return ""
        # The runner of the cases that follow is a new one, which needs the device as well.
        fresh = self._settings.isolate == "all"
        try:
            return str(self._supervisor.run({"task": HEALTH}, _HEALTH_DEADLINE_S, fresh)["problem"])
        except ChildDied as died:
            return str(died)


def _passed(item: pytest.Item, times: list[list[float]]) -> list[pytest.TestReport]:
    return passed_reports(item.nodeid, item.location, list(item.keywords), times)


def _wait_for_devices(devices: list[str], wanted: int) -> list[DeviceLease]:
    """Leases on so many devices, the first of them waited for; none where none becomes free in time.

    A run without workers takes a second device where one is free: peers are tested with it.
    """
    end = time.monotonic() + _LEASE_PATIENCE_S
    while (first := DeviceLease.take(devices)) is None:
        if time.monotonic() >= end:
            return []
        time.sleep(1.0)
    leases = [first]
    while len(leases) < wanted and (more := DeviceLease.take(devices)) is not None:
        leases.append(more)
    return leases


def _without_own_frames(text: str) -> str:
    """A dumped Python stack without the frames of pytest and of this harness below the test."""
    return "".join(line for line in text.splitlines(keepends=True) if not _OWN_FRAME.match(line))


@contextlib.contextmanager
def _sequential(item: pytest.Item) -> Iterator[None]:
    """Hold the lock of the cases that run one at a time over all workers of a user, where the item is one."""
    if item.get_closest_marker("sequential") is None:
        yield
        return
    path = Path(tempfile.gettempdir()) / f"{_SEQUENTIAL_LOCK}.{os.getuid()}"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        # Not flock: a child forked meanwhile would go on holding such a lock.
        fcntl.lockf(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        # Children forked meanwhile have the descriptor too: closing ours would leave the lock with them.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)
