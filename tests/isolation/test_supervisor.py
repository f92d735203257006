"""Children that crash, exit, hang or leave processes behind, and a supervisor that goes on."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.isolation import ChildDied, Supervisor, ask_child

ROOT = Path(__file__).parents[2]


class Actions:
    """Work that does what its task says."""

    def __init__(self) -> None:
        self.started: list[int] = []
        self.prepared: list[int] = []

    def prepare(self) -> None:
        self.prepared.append(os.getpid())

    def start(self, journal: Path) -> None:
        self.started.append(os.getpid())
        journal.write_text("started")

    def run(self, task: Any) -> Any:
        return getattr(self, task["do"])(**{key: value for key, value in task.items() if key != "do"})

    def finish(self) -> None:
        marker = os.environ.get("FINISHED")
        if marker:
            Path(marker).write_text("finished")

    def preparers(self) -> list[int]:
        return self.prepared

    def pid(self) -> int:
        return os.getpid()

    def echo(self, value: Any) -> Any:
        return value

    def group(self) -> int:
        return os.getpgid(0)

    def segfault(self) -> None:
        ctypes.string_at(0)

    def leave(self, status: int) -> None:
        ctypes.CDLL(None).exit(status)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def breed(self) -> int:
        """A grandchild that would outlive its parent, which then crashes."""
        child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
        return child

    def ignore_signals(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    made = Supervisor(Actions())
    yield made
    made.close()


def ask(supervisor: Supervisor, do: str, deadline: float = 10.0, fresh: bool = False, **args: Any) -> Any:
    return supervisor.run({"do": do, **args}, deadline, fresh)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


def died(pid: int, within: float = 20.0) -> bool:
    end = time.monotonic() + within
    while is_alive(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_one_runner_serves_all_tasks(supervisor: Supervisor) -> None:
    assert ask(supervisor, "pid") == ask(supervisor, "pid") != os.getpid()


def test_fresh_tasks_get_processes_of_their_own(supervisor: Supervisor) -> None:
    runner = ask(supervisor, "pid")
    first, second = ask(supervisor, "pid", fresh=True), ask(supervisor, "pid", fresh=True)
    assert len({runner, first, second}) == 3
    assert ask(supervisor, "pid") == runner
    assert died(first)


def test_the_work_is_prepared_once_for_all_children(supervisor: Supervisor) -> None:
    first, second = ask(supervisor, "preparers"), ask(supervisor, "preparers", fresh=True)
    assert len(first) == 1
    assert first == second
    assert os.getpid() not in first


def test_large_answers_arrive_whole(supervisor: Supervisor) -> None:
    value = ["x" * 1000] * 5000
    assert ask(supervisor, "echo", value=value) == value


def test_a_crash_names_the_signal_and_the_next_task_runs(supervisor: Supervisor) -> None:
    with pytest.raises(ChildDied) as caught:
        ask(supervisor, "segfault")
    assert (caught.value.death.kind, caught.value.death.signal) == ("crash", "SIGSEGV")
    assert ask(supervisor, "echo", value=1) == 1


@pytest.mark.parametrize("status", [0, 3])
def test_an_early_exit_is_a_crash_with_its_status(supervisor: Supervisor, status: int) -> None:
    with pytest.raises(ChildDied) as caught:
        ask(supervisor, "leave", status=status)
    assert (caught.value.death.signal, caught.value.death.status) == (None, status)
    assert f"exit status {status}" in str(caught.value)


def test_a_hang_ends_at_its_deadline(supervisor: Supervisor) -> None:
    runner = ask(supervisor, "pid")
    start = time.monotonic()
    with pytest.raises(ChildDied) as caught:
        ask(supervisor, "ignore_signals", deadline=0.3)
    assert caught.value.death.kind == "hang"
    assert time.monotonic() - start < 5
    assert died(runner)
    assert ask(supervisor, "echo", value=2) == 2


def test_what_a_dead_child_has_forked_dies_with_it(supervisor: Supervisor) -> None:
    grandchild = ask(supervisor, "breed")
    with pytest.raises(ChildDied):
        ask(supervisor, "segfault")
    assert died(grandchild)


def test_a_child_has_a_process_group_of_its_own(supervisor: Supervisor) -> None:
    assert ask(supervisor, "group") == ask(supervisor, "pid") != os.getpgid(0)


def test_a_death_between_tasks_is_noticed_and_repaired(supervisor: Supervisor) -> None:
    runner = ask(supervisor, "pid")
    assert supervisor.idle_death is None
    os.kill(runner, signal.SIGKILL)
    time.sleep(0.2)
    assert ask(supervisor, "pid") != runner
    assert supervisor.idle_death is not None
    assert supervisor.idle_death.signal == "SIGKILL"


def test_a_lost_zygote_is_replaced(supervisor: Supervisor) -> None:
    runner = ask(supervisor, "pid")
    zygote = int(Path(f"/proc/{runner}/stat").read_text().rsplit(")", 1)[1].split()[1])
    os.kill(zygote, signal.SIGKILL)
    assert died(runner)
    try:
        answer = ask(supervisor, "echo", value=3)
    except ChildDied:
        answer = ask(supervisor, "echo", value=3)
    assert answer == 3


def test_the_journal_belongs_to_the_child_that_did_the_last_task(supervisor: Supervisor) -> None:
    ask(supervisor, "pid")
    of_runner = supervisor.journal
    ask(supervisor, "pid", fresh=True)
    assert supervisor.journal != of_runner
    assert supervisor.journal is not None
    assert supervisor.journal.read_text() == "started"


def test_journals_stay_until_the_next_child_starts(supervisor: Supervisor) -> None:
    supervisor.run({"do": "pid"}, 10)
    own = supervisor.journal
    for _ in range(12):
        with pytest.raises(ChildDied):
            supervisor.run({"do": "leave", "status": 0}, 10, fresh=True)
        assert own is not None
        assert supervisor.journal is not None
        assert supervisor.journal.exists()
        Path(f"{supervisor.journal}-77").write_text("of another process of its case")
    supervisor.run({"do": "pid"}, 10, fresh=True)
    assert sorted(own.parent.iterdir()) == sorted([own, supervisor.journal])


def test_closing_lets_the_runner_finish_and_ends_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FINISHED", str(tmp_path / "marker"))
    supervisor = Supervisor(Actions())
    runner = ask(supervisor, "pid")
    supervisor.close()
    assert (tmp_path / "marker").read_text() == "finished"
    assert died(runner)
    supervisor.close()


def test_an_interrupt_of_the_waiting_worker_kills_the_task(supervisor: Supervisor) -> None:
    runner = ask(supervisor, "pid")
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            ask(supervisor, "sleep", seconds=30)
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert died(runner)


def test_the_children_and_their_journals_go_with_a_killed_worker() -> None:
    read, write = os.pipe()
    worker = os.fork()
    if worker == 0:
        supervisor = Supervisor(Actions())
        answer = ask(supervisor, "pid")
        assert supervisor.journal is not None
        os.write(write, f"{answer} {supervisor.journal.parent}".encode())
        time.sleep(60)
        os._exit(0)
    number, folder = os.read(read, 200).decode().split()
    runner = int(number)
    os.close(read)
    os.close(write)
    assert is_alive(runner)
    assert Path(folder).is_dir()
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)
    assert died(runner)
    end = time.monotonic() + 10
    while Path(folder).exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert not Path(folder).exists()


def test_a_question_to_a_child_is_answered_or_names_the_death() -> None:
    assert ask_child(lambda: {"answer": 42}, 5) == {"answer": 42}
    with pytest.raises(ChildDied, match="SIGABRT"):
        ask_child(os.abort, 5)
    with pytest.raises(ChildDied, match=r"no answer within 0\.2 s"):
        ask_child(lambda: time.sleep(30), 0.2)


def test_a_library_reads_nothing_of_the_input_of_whoever_asks() -> None:
    lines = "import os, sys; from harness.isolation import ask_child; "
    lines += "print(ask_child(lambda: os.read(0, 9).decode(), 5) == '', sys.stdin.read())"
    done = subprocess.run(
        [sys.executable, "-c", lines], input="typed", capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == "True typed\n"
