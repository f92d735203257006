"""The native measuring loop: what it calls, times, fills and compares, and how it tells of failures."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from harness.benchmark.errors import BenchmarkError
from harness.benchmark.probe import Area, Call, Plan, Probe, address_of, find_probe, load_probe

CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_uint64, ctypes.c_uint64)


class Log:
    """Functions for plans that note their name and arguments, and return what they are told to."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int]] = []
        self._keep: list[object] = []

    def call(self, name: str, first: int = 0, second: int = 0, code: int = 0, indirect: bool = False) -> Call:
        def noted(a: int, b: int) -> int:
            self.calls.append((name, a, b))
            return code

        function = CALLBACK(noted)
        self._keep.append(function)
        return Call(name, address_of(function), (first, second), frozenset({0} if indirect else ()))

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self.calls]


def test_a_sample_goes_through_its_phases_in_order() -> None:
    log = Log()
    phases = ("prepare", "open", "close", "release", "wait", "read", "check")
    host = ctypes.create_string_buffer(64)
    area = Area(ctypes.addressof(host), 64)
    plan = Plan(
        body=(log.call("body"), log.call("body2")),
        repeat=2,
        fill=area,
        verify=area,
        **{phase: (log.call(phase),) for phase in phases},
    )
    load_probe().run(plan, 0, [True])
    body = ["body", "body2", "body", "body2"]
    assert log.names == ["prepare", "open", *body, "close", "release", "wait", "read", "check"]
    log.calls.clear()
    load_probe().run(plan, 0, [False])
    assert log.names == ["open", *body, "close", "release", "wait", "read"]


def test_arguments_arrive_whole_and_indirect_ones_are_read_at_the_call() -> None:
    log, slot = Log(), ctypes.c_uint64(0xFEED_F00D_DEAD_BEEF)
    plan = Plan(body=(log.call("x", ctypes.addressof(slot), (1 << 64) - 2, indirect=True),))
    load_probe().run(plan, 0, [False])
    assert log.calls == [("x", 0xFEED_F00D_DEAD_BEEF, (1 << 64) - 2)]


def test_times_are_those_of_the_body_and_of_the_wait() -> None:
    library = ctypes.CDLL(None)
    sleep = Call("usleep", address_of(library.usleep), (3000,))
    taken = load_probe().run(Plan(body=(sleep,), wait=(sleep, sleep), repeat=2), 0, [False] * 3)
    assert (taken.calls >= 6e-3).all()
    assert (taken.host >= 6e-3).all()
    assert (taken.calls < 1.0).all()


@pytest.mark.parametrize("phase", ["prepare", "open", "body", "close", "release", "wait", "read", "check"])
def test_a_failing_call_is_named_with_its_code_and_sample(phase: str) -> None:
    log, host = Log(), ctypes.create_string_buffer(8)
    area = Area(ctypes.addressof(host), 8)
    given = {"body": (log.call("fine"),), phase: (log.call("bad", code=507013),)}
    with pytest.raises(BenchmarkError, match=rf"sample 5: bad returned 507013 \({phase}\)"):
        load_probe().run(Plan(**given, fill=area, verify=area), 5, [True])


def test_a_body_stops_at_its_first_failure() -> None:
    log = Log()
    with pytest.raises(BenchmarkError):
        load_probe().run(Plan(body=(log.call("bad", code=1),), repeat=1000), 0, [False])
    assert log.names == ["bad"]


@pytest.mark.parametrize(("width", "height", "pitch"), [(1, 1, 1), (13, 7, 20), (4096, 3, 4096), (8, 5, 9)])
def test_every_changed_byte_is_found_and_gaps_are_left_alone(width: int, height: int, pitch: int) -> None:
    probe = load_probe()
    memory = np.full(pitch * height + 64, 0xEE, np.uint8)
    area = Area(memory.ctypes.data, width, height, pitch)
    probe.fill(area, 3)
    assert probe.differences(area, 3) == 0
    rows = memory[: pitch * height].reshape(height, pitch)
    assert (rows[:, width:] == 0xEE).all()
    assert (memory[pitch * height :] == 0xEE).all()
    rows[height - 1, width - 1] ^= 1
    assert probe.differences(area, 3) == 1
    rows[height - 1, width - 1] ^= 1
    assert width * height < 16 or probe.differences(area, 4) > width * height // 2


def test_stale_data_is_a_mismatch_and_fresh_data_is_none() -> None:
    source, target = np.zeros(100, np.uint8), np.zeros(100, np.uint8)
    copy = load_probe().own("host_copy", target.ctypes.data, source.ctypes.data, 100)
    fill, verify = Area(source.ctypes.data, 100), Area(target.ctypes.data, 100)
    good = load_probe().run(Plan(body=(copy,), fill=fill, verify=verify), 0, [True, False, True])
    assert (good.verified, good.mismatches) == (2, 0)
    idle = Plan(body=(load_probe().own("nothing"),), fill=fill, verify=verify)
    assert load_probe().run(idle, 7, [True, True]).mismatches == 2


def test_a_constant_is_compared_with_every_byte() -> None:
    memory = np.full(50, 0x5A, np.uint8)
    plan = Plan(body=(load_probe().own("nothing"),), verify=Area(memory.ctypes.data, 50), constant=0x5A)
    assert load_probe().run(plan, 0, [True]).mismatches == 0
    memory[49] = 0
    assert load_probe().run(plan, 0, [True]).mismatches == 1


def test_more_arguments_than_it_passes_are_refused() -> None:
    with pytest.raises(BenchmarkError, match="at most 12 arguments"):
        load_probe().run(Plan(body=(Call("many", 1, tuple(range(13))),)), 0, [False])


def test_without_the_loop_the_message_says_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("harness.benchmark.probe.find_probe", lambda: None)
    load_probe.cache_clear()
    with pytest.raises(BenchmarkError, match="install the package with a C compiler, or name the file in"):
        load_probe()
    load_probe.cache_clear()
    monkeypatch.undo()
    monkeypatch.setenv("ACLCTS_PROBE", str(tmp_path / "other.so"))
    assert find_probe() == tmp_path / "other.so"
    with pytest.raises(BenchmarkError, match="cannot be used as the measuring loop"):
        Probe(tmp_path / "other.so")
