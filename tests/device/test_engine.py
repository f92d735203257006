"""The engine over a fake reference device: profiles, stock-taking, contexts, and how it comes clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.binding import read_journal
from harness.contract import load
from harness.device import CASE_STARTS, DeviceError, Engine, Probe, Profile, Target
from tests.fakes.runs import fake_library

EP, RC = Profile("310b", "EP"), Profile("310b", "RC")


def engine_on(library: Path, journal: Path | None = None, fault: str | None = None) -> Engine:
    target = Target(str(library), "reference", "a fake", "", (EP, RC), Probe(reference="0"))
    return Engine(target, load(), fault=fault, journal=journal)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FAKE_ACL_LOG", str(tmp_path / "log"))
    monkeypatch.delenv("FAKE_ACL", raising=False)
    return tmp_path / "log"


@pytest.fixture
def engine(log: Path) -> Engine:
    return engine_on(fake_library(reference=True))


def test_a_profile_is_played_once_and_again_after_another(engine: Engine, log: Path) -> None:
    for profile in (EP, EP, RC, RC, EP):
        engine.enter(profile)
    engine.close()
    assert [line.split(";")[1] for line in log.read_text().split()] == ["form=EP", "form=RC", "form=EP"]


def test_configuring_leaves_the_library_uninitialised(engine: Engine) -> None:
    engine.configure(EP)
    assert not engine.initialised
    assert not engine.c.call("aclrtGetCurrentContext").ok
    engine.enter(EP)
    assert engine.initialised
    engine.close()
    assert not engine.initialised


def test_what_was_made_and_not_given_back_is_a_leak_once(engine: Engine) -> None:
    engine.enter(EP)
    assert engine.leaks() == []
    stream = engine.c.call("aclrtCreateStream").stream
    block = engine.c.call("aclrtMalloc", size=4096, policy=0).devPtr
    assert engine.leaks() == [
        "streams: 0 before, 1 after",
        f"free device memory: {1 << 30} bytes before, {(1 << 30) - 4096} after",
    ]
    assert engine.leaks() == []
    engine.c.call("aclrtDestroyStream", stream=stream)
    engine.c.call("aclrtFree", devPtr=block)
    assert engine.leaks() == []
    engine.close()


def test_a_lost_context_is_told_and_a_reset_brings_it_back(engine: Engine) -> None:
    engine.enter(EP)
    assert engine.restore_context() is None
    engine.c.call("aclFinalize")
    assert "the context of device 0 is gone" in str(engine.restore_context())
    assert engine.reset()
    engine.enter(EP)
    assert engine.restore_context() is None
    engine.close()


def test_health_is_checked_with_a_copy_there_and_back(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.check_health()
    monkeypatch.setenv("FAKE_ACL", "nocopy")
    with pytest.raises(DeviceError, match="aclrtMemcpy returned 507000"):
        engine.check_health()
    engine.close()


def test_an_unknown_fault_is_told_when_the_library_is_opened(log: Path) -> None:
    with pytest.raises(DeviceError, match="aclrefSetFault"):
        engine_on(fake_library(reference=True), fault="unknown").enter(EP)


def test_a_missing_library_is_a_device_error() -> None:
    with pytest.raises(DeviceError, match="no such file"):
        engine_on(Path("/nowhere/libascendcl.so")).enter(EP)


def test_the_journal_says_where_a_case_begins(log: Path, tmp_path: Path) -> None:
    engine = engine_on(fake_library(reference=True), journal=tmp_path / "journal")
    engine.enter(EP)
    engine.c.call("aclrtGetCurrentContext")
    engine.close()
    names = [entry["function"] for entry in read_journal(tmp_path / "journal")]
    assert names[names.index(CASE_STARTS) + 1] == "aclrtGetCurrentContext"
