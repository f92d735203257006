"""The clean process from which cases fork, and the loop of the processes that run them.

The zygote has one thread and has loaded no library under test. It forks a child for each request and tells
its worker when one has died. It ends, and its children with it, as soon as the worker is gone.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import gc
import os
import select
import shutil
import signal
import socket
import traceback
from pathlib import Path
from typing import Any, NoReturn, Protocol

from harness.isolation.channel import Channel
from harness.isolation.processes import die_with, keep_freed_memory, leave_input, share_in_huge_pages

COLLECT_LESS_OFTEN = (20_000, 20, 50)
"""The thresholds of the garbage collector while cases run: they leave little, and what lasts only grows."""

STACK_SIGNAL = signal.SIGUSR2
"""Makes a child write the Python stack of all its threads to its standard error."""

_BROKEN = 70
_STREAM_LINE_BUFFERED = 1


class Work(Protocol):
    """What the children do; the same object in every one of them, copied by fork."""

    def prepare(self) -> None:
        """Do in the zygote, once, what every child would have to do; no library is loaded here."""

    def start(self, journal: Path) -> None:
        """Prepare a new child; `journal` is where its call recorder keeps what must survive a crash."""

    def run(self, task: Any) -> Any:
        """Do one task; both it and the answer are JSON values."""

    def finish(self) -> None:
        """Take leave before the child ends in order."""


def run_zygote(control: socket.socket, work: Work) -> NoReturn:
    """The zygote's life, in the process just forked for it."""
    try:
        _Zygote(control, work).serve()
    except BaseException:
        os.write(2, traceback.format_exc().encode(errors="replace"))
    finally:
        os._exit(0)


class _Zygote:
    def __init__(self, control: socket.socket, work: Work) -> None:
        self._control = control
        self._work = work
        self._children: set[int] = set()
        self._folder: Path | None = None
        os.setpgid(0, 0)
        leave_input()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # A run that ends in order when it is told to has a handler, which no child may inherit.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self._woken, self._wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        keep_freed_memory()
        work.prepare()
        # What is alive now stays alive: collecting it in a child would only copy shared pages.
        gc.collect()
        gc.freeze()
        share_in_huge_pages()

    def serve(self) -> None:
        """Fork on request and report deaths, until the worker has gone; then drop the journals' folder."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        try:
            while self._step(poll):
                pass
        finally:
            for pid in self._children:
                _kill_group(pid)
            # A worker that was killed cannot do it.
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)

    def _step(self, poll: select.poll) -> bool:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if self._woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._woken, 4096)
            self._report_deaths()
        if self._control.fileno() not in ready:
            return True
        try:
            request, descriptors, _, _ = socket.recv_fds(self._control, 4096, 1)
        except ConnectionResetError:
            # The worker has died with a message of ours unread.
            return False
        if not request:
            return False
        journal = Path(os.fsdecode(request))
        self._folder = journal.parent
        self._fork(journal, descriptors[0])
        return True

    def _report_deaths(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._children:
                self._children.discard(pid)
                _kill_group(pid)
                self._control.send(f"died {pid} {status}".encode())

    def _fork(self, journal: Path, descriptor: int) -> None:
        zygote = os.getpid()
        pid = os.fork()
        if pid == 0:
            die_with(zygote)
            self._become_child(journal, descriptor)
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        os.close(descriptor)
        self._children.add(pid)
        self._control.send(f"born {pid}".encode())

    def _become_child(self, journal: Path, descriptor: int) -> NoReturn:
        status = _BROKEN
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._control.close()
            os.close(self._woken)
            os.close(self._wake)
            os.setpgid(0, 0)
            _prepare_child()
            _serve_tasks(self._work, Channel(socket.socket(fileno=descriptor)), journal)
            status = 0
        except BaseException:
            os.write(2, traceback.format_exc().encode(errors="replace"))
        finally:
            os._exit(status)


def _serve_tasks(work: Work, channel: Channel, journal: Path) -> None:
    work.start(journal)
    process = os.getpid()
    while True:
        try:
            task = channel.receive()
        except EOFError:
            break
        answer = work.run(task)
        if os.getpid() != process:
            # A library has forked and returned in both: only the process that was asked may answer.
            os._exit(0)
        channel.send(answer)
    work.finish()


def _prepare_child() -> None:
    """Write stacks to the captured standard error, lose no C output in a crash."""
    # Cases are short: collecting less often saves a tenth of their time and costs little memory.
    gc.set_threshold(*COLLECT_LESS_OFTEN)
    libc = ctypes.CDLL(None)
    faulthandler.enable(file=2)
    faulthandler.register(STACK_SIGNAL, file=2, all_threads=True)
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, _STREAM_LINE_BUFFERED, 0)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
