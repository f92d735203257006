"""Clean processes that cases ask for: other programs that use the same library at the same time.

A case runs where the library is loaded, so a fork of its process would be no program of its own. The nursery
is forked before anything loads a library; on request it forks a *companion*, which imports a module once and
calls a function of it. It ends when nobody is left who could ask it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from harness.isolation.processes import die_with, keep_freed_memory, leave_input, share_in_huge_pages

_ANSWER_S = 30.0
_NUMBER = 4
_PASSED = 4
_FIRST_FREE = 3
_LARGEST_REQUEST = 1 << 17


class NurseryError(Exception):
    """No companion could be had; the text says why."""


@dataclass
class Companion:
    """A process of the nursery: its id, and the socket that its function was called with the other end of."""

    pid: int
    line: socket.socket
    _status: int

    def ended(self, patience: float = _ANSWER_S) -> str:
        """How the process has ended, in words; waits for it, no longer than `patience` seconds."""
        try:
            status = int.from_bytes(_read(self._status, patience), "little", signed=True)
        except NurseryError as error:
            return f"has not said how it ended: {error}"
        finally:
            os.close(self._status)
        if os.WIFSIGNALED(status):
            return f"was killed by {signal.Signals(os.WTERMSIG(status)).name}"
        return f"ended with exit status {os.waitstatus_to_exitcode(status)}"


class Nursery:
    """The asking side; usable in the process that made it and in all that are forked from that one."""

    def __init__(self) -> None:
        """Fork the nursery. Call it before this process loads a library."""
        self._owner = os.getpid()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with warnings.catch_warnings():
            # The other threads of a worker wait for its controller; the child needs none of them.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if self._pid == 0:
            self._control.close()
            _serve(theirs)
        theirs.close()

    def companion(self, entry: str) -> Companion:
        """A new process, in which the function `module:name` is called with the other end of the line.

        It has the environment and the output of the process that asks. NurseryError where there is none.
        """
        ours, theirs = socket.socketpair()
        answer, status = os.pipe2(os.O_CLOEXEC)
        request = json.dumps({"entry": entry, "environment": dict(os.environ)}).encode()
        try:
            socket.send_fds(self._control, [request], [theirs.fileno(), status, 1, 2])
        except OSError as error:
            raise NurseryError(f"the process that forks others is gone: {error}") from None
        finally:
            theirs.close()
            os.close(status)
        try:
            pid = int.from_bytes(_read(answer, _ANSWER_S), "little")
        except NurseryError:
            ours.close()
            os.close(answer)
            raise
        return Companion(pid, ours, answer)

    def close(self) -> None:
        """Ask no more; in the process that made it, wait for the nursery's end."""
        self._control.close()
        if os.getpid() == self._owner:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._pid, 0)


def _read(descriptor: int, patience: float) -> bytes:
    """The next number of a pipe; NurseryError where it does not come within `patience` seconds."""
    if not select.select([descriptor], [], [], patience)[0]:
        raise NurseryError(f"no word of it within {patience:g} s")
    data = os.read(descriptor, _NUMBER)
    if len(data) < _NUMBER:
        raise NurseryError("the process that forks others has ended")
    return data


def _serve(control: socket.socket) -> NoReturn:
    """The nursery's life, in the process just forked for it."""
    with contextlib.suppress(BaseException):
        os.setpgid(0, 0)
        leave_input()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _Server(control).serve()
    os._exit(0)


@dataclass
class _Server:
    _control: socket.socket
    _functions: dict[str, Callable[[socket.socket], None]] = field(default_factory=dict)
    _waiting: dict[int, int] = field(default_factory=dict)
    """Where the end of each living companion is told, by its process id."""

    def serve(self) -> None:
        """Fork on request, tell ends, and kill whom nobody waits for, until nobody can ask any more."""
        # What is alive now stays alive: collecting it in a companion would only copy shared pages.
        gc.freeze()
        keep_freed_memory()
        share_in_huge_pages()
        woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        try:
            while self._step(woken):
                pass
        finally:
            for pid in self._waiting:
                _kill(pid)

    def _step(self, woken: int) -> bool:
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(woken, select.POLLIN)
        for descriptor in self._waiting.values():
            # Nothing but the loss of its reader is waited for.
            poll.register(descriptor, 0)
        ready = {descriptor for descriptor, _ in poll.poll()}
        if woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(woken, 4096)
        self._tell_ends()
        for pid, descriptor in self._waiting.items():
            if descriptor in ready:
                _kill(pid)
        if self._control.fileno() not in ready:
            return True
        text, descriptors, _, _ = socket.recv_fds(self._control, _LARGEST_REQUEST, _PASSED)
        if text:
            self._fork(json.loads(text), *descriptors)
        return bool(text)

    def _tell_ends(self) -> None:
        while self._waiting:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            descriptor = self._waiting.pop(pid)
            with contextlib.suppress(BrokenPipeError):
                os.write(descriptor, status.to_bytes(_NUMBER, "little", signed=True))
            os.close(descriptor)

    def _fork(self, request: dict[str, Any], line: int, status: int, *output: int) -> None:
        module, _, name = request["entry"].partition(":")
        if module not in sys.modules:
            with contextlib.suppress(Exception):
                # Once here and not in every companion; one that cannot do it says so itself.
                importlib.import_module(module)
            gc.freeze()
        nursery = os.getpid()
        pid = os.fork()
        if pid == 0:
            die_with(nursery)
            _become_companion(module, name, request["environment"], line, output)
        self._waiting[pid] = status
        with contextlib.suppress(BrokenPipeError):
            os.write(status, pid.to_bytes(_NUMBER, "little"))
        for descriptor in (line, *output):
            os.close(descriptor)


def _become_companion(
    module: str, name: str, environment: dict[str, str], line: int, output: tuple[int, ...]
) -> NoReturn:
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, descriptor in enumerate(output, 1):
            os.dup2(descriptor, number)
        # Nothing of the nursery's and of the other companions' stays open here.
        os.dup2(line, _FIRST_FREE)
        os.closerange(_FIRST_FREE + 1, os.sysconf("SC_OPEN_MAX"))
        sys.stdout = os.fdopen(1, "w", 1, closefd=False)
        sys.stderr = os.fdopen(2, "w", 1, closefd=False)
        os.environ.clear()
        os.environ.update(environment)
        getattr(importlib.import_module(module), name)(socket.socket(fileno=_FIRST_FREE))
        status = 0
    except BaseException:
        os.write(2, traceback.format_exc().encode(errors="replace"))
    finally:
        os._exit(status)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
