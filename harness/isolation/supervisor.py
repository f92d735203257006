"""The worker's side: it hands out tasks, keeps deadlines, and notices how a child has died."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
import warnings
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from harness.isolation.channel import Channel
from harness.isolation.zygote import STACK_SIGNAL, Work, run_zygote

_STACK_GRACE_S = 0.3
_DEATH_GRACE_S = 5.0
_FINISH_GRACE_S = 10.0
_HEARD_BYTES = 1 << 16
_HEARD_LETTERS = 200
_SHARED_MEMORY = "/dev/shm"
_ROOM_BYTES = 32 << 20
_PYTHON_STACK = re.compile("^(?:Fatal Python error|Current thread|Thread 0x)", re.MULTILINE)


@dataclass(frozen=True)
class Death:
    """How a child ended without an answer.

    `signal` is the name of the signal that killed it, `status` its exit status where it ended by itself; both
    are None where it was killed for passing its deadline.
    """

    kind: Literal["crash", "hang"]
    signal: str | None = None
    status: int | None = None
    deadline: float = 0.0

    def __str__(self) -> str:
        if self.kind == "hang":
            return f"no answer within {self.deadline:g} s"
        if self.signal is not None:
            return f"killed by {self.signal}"
        return f"the process ended with exit status {self.status}"


class ChildDied(Exception):
    """A child process ended, or was ended, before it answered; `death` says how."""

    def __init__(self, death: Death) -> None:
        super().__init__(str(death))
        self.death = death
        self.said = ""
        """The last line it wrote, where somebody has listened."""


def describe_status(status: int) -> Death:
    """The crash that a wait status tells of."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        return Death("crash", signal=name)
    return Death("crash", status=os.waitstatus_to_exitcode(status))


class _Child:
    """One process that runs tasks, as its worker sees it."""

    def __init__(self, channel: Channel, journal: Path) -> None:
        self.channel = channel
        self.journal = journal
        self.pid: int | None = None
        self.status: int | None = None


class Supervisor:
    """Runs tasks in children of a zygote: one long-lived runner, and fresh ones for tasks that ask for it.

    The zygote is forked by the first task, so that whatever the worker has prepared by then is there for
    free.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._control: socket.socket | None = None
        self._zygote = 0
        self._owner = os.getpid()
        self._runner: _Child | None = None
        self._folder: Path | None = None
        self._children: dict[int, _Child] = {}
        self._unborn: list[_Child] = []
        self._count = 0
        # Journals of children that are gone: of interest until the next child starts.
        self._forgotten: list[Path] = []
        self.journal: Path | None = None
        """The journal of the child that did, or failed to do, the last task."""
        self.idle_death: Death | None = None
        """How the runner died between two tasks, until the next one is run."""
        _supervisors.add(self)

    def run(self, task: Any, deadline: float, fresh: bool = False) -> Any:
        """The answer to a task, from the runner or, with `fresh`, from a new child that ends afterwards.

        Raises ChildDied when the child crashes, exits or has no answer after `deadline` seconds; the next
        task finds a new one.
        """
        self._notice()
        child = self._spawn() if fresh else self._living_runner()
        self.journal = child.journal
        try:
            answer = self._ask(child, task, deadline)
        except ChildDied:
            self._forget(child)
            raise
        except BaseException:
            self._kill(child)
            self._forget(child)
            raise
        if fresh:
            self._dismiss(child)
        return answer

    def renew(self) -> None:
        """Dismiss the runner; the next task gets a new one."""
        if self._runner is not None:
            self._dismiss(self._runner)
            self._runner = None

    def close(self) -> None:
        """End runner and zygote. Harmless when nothing runs, and in a process that was forked off."""
        if os.getpid() != self._owner:
            return
        self.renew()
        if self._control is not None:
            self._control.close()
            self._control = None
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._zygote, 0)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _close_sockets(self) -> None:
        """Let go of the sockets, in a process that has them only because it was forked off."""
        if self._control is not None:
            self._control.close()
        for child in {*self._children.values(), *self._unborn, *([self._runner] if self._runner else [])}:
            child.channel.close()

    def _living_runner(self) -> _Child:
        self.idle_death = None
        if self._runner is not None and self._runner.status is not None:
            self.idle_death = describe_status(self._runner.status)
            self._forget(self._runner)
        if self._runner is None:
            self._runner = self._spawn()
        return self._runner

    def _spawn(self) -> _Child:
        control = self._start_zygote()
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="aclcts-", dir=_folder_in_memory()))
        for forgotten in self._forgotten:
            # And those beside it, of other processes of its case.
            for path in (forgotten, *self._folder.glob(f"{forgotten.name}-*")):
                path.unlink(missing_ok=True)
        self._forgotten.clear()
        self._count += 1
        ours, theirs = socket.socketpair()
        journal = self._folder / f"journal-{self._count}"
        child = _Child(Channel(ours), journal)
        self._unborn.append(child)
        socket.send_fds(control, [os.fsencode(journal)], [theirs.fileno()])
        theirs.close()
        return child

    def _start_zygote(self) -> socket.socket:
        if self._control is not None:
            return self._control
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            # The other threads of a worker wait for its controller; the child needs none of them.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            ours.close()
            _leave_others(self)
            run_zygote(theirs, self._work)
        theirs.close()
        self._zygote, self._control = pid, ours
        return ours

    def _ask(self, child: _Child, task: Any, deadline: float) -> Any:
        try:
            child.channel.send(task)
        except OSError:
            raise ChildDied(self._death(child)) from None
        end = time.monotonic() + deadline
        while child.status is None:
            if self._wait(child, end):
                return child.channel.receive()
            if time.monotonic() >= end:
                self._show_stack(child)
                self._kill(child)
                raise ChildDied(Death("hang", deadline=deadline))
        return self._last_words(child)

    def _wait(self, child: _Child, end: float) -> bool:
        """Wait for an answer or a death until `end`; True when the answer is there."""
        poll = select.poll()
        poll.register(child.channel, select.POLLIN)
        if self._control is not None:
            poll.register(self._control, select.POLLIN)
        left = max(0.0, end - time.monotonic())
        ready = {descriptor for descriptor, _ in poll.poll(left * 1000 + 1)}
        if child.channel.fileno() in ready:
            try:
                return child.channel.pump()
            except EOFError:
                raise ChildDied(self._death(child)) from None
        if ready:
            self._hear()
        return False

    def _last_words(self, child: _Child) -> Any:
        """The answer of a child that died right after giving it, or its death."""
        with contextlib.suppress(EOFError):
            return child.channel.receive()
        raise ChildDied(self._death(child))

    def _death(self, child: _Child) -> Death:
        """How a child that hung up has died; one that only closed its end is killed."""
        end = time.monotonic() + _DEATH_GRACE_S
        while child.status is None and time.monotonic() < end and self._control is not None:
            if select.select([self._control], [], [], end - time.monotonic())[0]:
                self._hear()
        if child.status is None:
            self._kill(child)
        return describe_status(child.status if child.status is not None else signal.SIGKILL)

    def _notice(self) -> None:
        """Take in what the zygote has said meanwhile, without waiting."""
        while self._control is not None and select.select([self._control], [], [], 0)[0]:
            self._hear()

    def _hear(self) -> None:
        """Take in one message of the zygote."""
        if self._control is None:
            return
        try:
            words = self._control.recv(256).decode().split()
        except ConnectionError:
            words = []
        if not words:
            self._lose_zygote()
        elif words[0] == "born":
            child = self._unborn.pop(0)
            child.pid = int(words[1])
            self._children[child.pid] = child
        elif (dead := self._children.pop(int(words[1]), None)) is not None:
            dead.status = int(words[2])

    def _lose_zygote(self) -> None:
        """The zygote was killed from outside, and its children with it; the next task starts another."""
        if self._control is not None:
            self._control.close()
        self._control = None
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._zygote, os.WNOHANG)
        for child in [*self._children.values(), *self._unborn]:
            child.status = int(signal.SIGKILL)
        self._children.clear()
        self._unborn.clear()
        self._runner = None

    def _show_stack(self, child: _Child) -> None:
        self._learn_pid(child)
        if child.pid is not None and child.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, STACK_SIGNAL)
            time.sleep(_STACK_GRACE_S)

    def _kill(self, child: _Child) -> None:
        self._learn_pid(child)
        if child.pid is None or child.status is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        end = time.monotonic() + _DEATH_GRACE_S
        while child.status is None and self._control is not None and time.monotonic() < end:
            if select.select([self._control], [], [], end - time.monotonic())[0]:
                self._hear()

    def _learn_pid(self, child: _Child) -> None:
        while child.pid is None and child.status is None and self._control is not None:
            self._hear()

    def _dismiss(self, child: _Child) -> None:
        """Let a child end in order, within bounds."""
        child.channel.hang_up()
        end = time.monotonic() + _FINISH_GRACE_S
        while child.status is None and self._control is not None and time.monotonic() < end:
            if select.select([self._control], [], [], end - time.monotonic())[0]:
                self._hear()
        if child.status is None:
            self._kill(child)
        self._forget(child)

    def _forget(self, child: _Child) -> None:
        child.channel.close()
        self._forgotten.append(child.journal)
        if child.pid is not None:
            self._children.pop(child.pid, None)
        if self._runner is child:
            self._runner = None


def _folder_in_memory() -> str | None:
    """A folder whose files never reach a disk, where there is one with room for journals; None otherwise."""
    with contextlib.suppress(OSError):
        room = os.statvfs(_SHARED_MEMORY)
        if os.access(_SHARED_MEMORY, os.W_OK) and room.f_bavail * room.f_frsize >= _ROOM_BYTES:
            return _SHARED_MEMORY
    return None


class _Once:
    """The work of a child that answers one question."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function

    def prepare(self) -> None:
        """Nothing to do before."""

    def start(self, journal: Path) -> None:
        """Nothing to prepare."""

    def run(self, task: Any) -> Any:
        """The function's answer."""
        return self._function()

    def finish(self) -> None:
        """Nothing to leave."""


# Every supervisor of this process, so that a zygote can let go of what belongs to the others.
_supervisors: weakref.WeakSet[Supervisor] = weakref.WeakSet()


def _leave_others(own: Supervisor) -> None:
    """In a zygote just forked: close the other supervisors' sockets, or their children would never see them
    close.
    """
    for other in list(_supervisors):
        if other is not own:
            other._close_sockets()


def ask_child(function: Callable[[], Any], deadline: float) -> Any:
    """The JSON-able answer of `function`, run in a child process so that a broken library cannot hurt this
    one. Nothing of what the child writes is shown.

    Raises ChildDied when the child crashed, ended early or took longer than `deadline` seconds; `said` is the
    last line it wrote.
    """
    with tempfile.TemporaryFile() as heard:

        def ask() -> Any:
            for output in (1, 2):
                os.dup2(heard.fileno(), output)
            return function()

        supervisor = Supervisor(_Once(ask))
        try:
            return supervisor.run(None, deadline)
        except ChildDied as died:
            died.said = _last_line(heard)
            raise
        finally:
            supervisor.close()


def _last_line(heard: BinaryIO) -> str:
    """The last line of a file, at most so many letters; nothing where it has none."""
    heard.seek(max(0, heard.seek(0, os.SEEK_END) - _HEARD_BYTES))
    # What the dying process wrote about its Python stack says nothing about the library.
    text = _PYTHON_STACK.split(heard.read().decode(errors="replace"), maxsplit=1)[0]
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][-_HEARD_LETTERS:] if lines else ""
