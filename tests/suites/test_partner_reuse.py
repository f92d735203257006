"""Which other processes serve a second case: those that have left nothing behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.binding import find_reference
from harness.contract import load
from suites.partners import Outfit, Partner
from tests.fakes.runs import fake_library


@pytest.fixture
def start() -> Iterator[Callable[..., Partner]]:
    """Starts a process on the reference device, or with another outfit; all end with the test."""
    path = find_reference()
    if path is None or not path.is_file():
        pytest.skip("the reference device is not built")
    made: list[Partner] = []

    def begin(profile: str = "product=910b", library: str = str(path), **options: object) -> Partner:
        made.append(Partner(Outfit(library, profile, load(), **options)))  # type: ignore[arg-type]
        return made[-1]

    yield begin
    for partner in made:
        partner.kill()


def malloc(partner: Partner) -> int:
    """Device memory of a process."""
    return int(partner.call("aclrtMalloc", size=4096, policy="ACL_MEM_MALLOC_HUGE_FIRST").devPtr)


def wait_for_death(pid: int) -> None:
    """Wait until a process has closed all it had."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return
        if state in "ZX":
            return
        time.sleep(0.001)


def test_an_orderly_process_serves_again_as_another_product(start: Callable[..., Partner]) -> None:
    first = start("product=910b")
    assert first.call("aclrtGetSocName").value.startswith(b"Ascend910B")
    first.close()
    second = start("product=310p")
    assert second.process == first.process
    assert second.call("aclrtGetSocName").value.startswith(b"Ascend310P")


def test_faults_do_not_outlive_their_case(start: Callable[..., Partner]) -> None:
    first = start(faults=("free_accepts_null",))
    first.close()
    second = start()
    assert second.process == first.process
    assert not second.call("aclrtFree", devPtr=None).ok


def test_a_process_that_holds_memory_does_not_serve_again(start: Callable[..., Partner]) -> None:
    first = start()
    first.call("aclrtMallocHost", size=4096)
    first.close()
    assert start().process != first.process


def test_a_process_that_left_or_was_killed_does_not_serve_again(start: Callable[..., Partner]) -> None:
    gone = [start(), start()]
    gone[0].leave()
    gone[1].kill()
    assert start().process not in {each.process for each in gone}


def test_another_environment_asks_for_another_process(start: Callable[..., Partner]) -> None:
    first = start(environment={"ASCEND_RT_VISIBLE_DEVICES": "0"})
    first.close()
    assert start().process != first.process


def test_a_process_that_died_meanwhile_is_replaced(start: Callable[..., Partner]) -> None:
    first = start()
    first.close()
    os.kill(first.process, signal.SIGKILL)
    wait_for_death(first.process)
    second = start()
    assert second.process != first.process
    assert malloc(second) != 0


def test_a_library_without_controls_is_not_used_again(start: Callable[..., Partner]) -> None:
    first = start("", library=str(fake_library()))
    first.close()
    assert start("", library=str(fake_library())).process != first.process
