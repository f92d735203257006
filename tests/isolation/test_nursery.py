"""Companions: clean processes on request, whose end is told, and which nobody has to outlive."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.isolation import Companion, Nursery, NurseryError

ENTRY = "tests.isolation.companions"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


def word_of(companion: Companion) -> str:
    companion.line.settimeout(10)
    return companion.line.recv(1000).decode().strip()


def gone(pid: int, within: float = 20.0) -> bool:
    """Whether a process has ended, at the latest after so many seconds."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


def test_companion_has_the_environment_and_output_of_who_asks(
    nursery: Nursery, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLOUR", "red")
    companion = nursery.companion(f"{ENTRY}:tell")
    pid, parent, colour, descriptors = word_of(companion).split(" ", 3)
    assert (int(pid), colour) == (companion.pid, "red")
    assert int(parent) != os.getpid()
    assert descriptors == "[0, 1, 2, 3, 4]"
    companion.line.close()
    assert companion.ended() == "ended with exit status 0"
    assert "said by a companion" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("entry", "end"),
    [
        ("crash", "was killed by SIGABRT"),
        ("leave", "ended with exit status 9"),
        ("no_such_function", "ended with exit status 1"),
    ],
)
def test_the_end_of_a_companion_is_told(nursery: Nursery, entry: str, end: str) -> None:
    assert nursery.companion(f"{ENTRY}:{entry}").ended() == end


def test_a_companion_that_does_not_end_is_not_waited_for(nursery: Nursery) -> None:
    companion = nursery.companion(f"{ENTRY}:sleep")
    assert "no word of it within 0.1 s" in companion.ended(patience=0.1)
    assert gone(companion.pid)


def test_companions_end_with_the_process_that_asked_for_them(nursery: Nursery) -> None:
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        companion = nursery.companion(f"{ENTRY}:sleep")
        word_of(companion)
        os.write(tell, companion.pid.to_bytes(4, "little"))
        os._exit(0)
    pid = int.from_bytes(os.read(told, 4), "little")
    os.waitpid(child, 0)
    assert gone(pid)
    other = nursery.companion(f"{ENTRY}:tell")
    assert word_of(other).startswith(str(other.pid))


def test_nothing_outlives_the_process_that_made_the_nursery() -> None:
    program = (
        "import os, signal; from harness.isolation import Nursery; n = Nursery();"
        f"c = n.companion('{ENTRY}:sleep'); c.line.recv(10); print(n._pid, c.pid, flush=True);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pids = [int(word) for word in process.stdout.readline().split()]
    assert len(pids) == 2
    assert all(gone(pid) for pid in pids)


def test_a_nursery_that_was_killed_is_told_in_one_line(nursery: Nursery) -> None:
    companion = nursery.companion(f"{ENTRY}:sleep")
    os.kill(nursery._pid, 9)
    assert gone(companion.pid)
    assert "has ended" in companion.ended()
    with pytest.raises(NurseryError, match=r"gone|ended"):
        nursery.companion(f"{ENTRY}:tell")
