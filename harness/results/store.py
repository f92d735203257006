"""Writing the records of a run: one file a folder, one run at a time, nothing lost that was appended."""

from __future__ import annotations

import errno
import fcntl
import os
import time
import weakref
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from harness.results.benchmarks import BenchmarkRecord
from harness.results.errors import ResultsError
from harness.results.files import check_folder
from harness.results.records import CaseRecord, Footer, Header, Record

FILE_NAME = "results.jsonl"
PREVIOUS_NAME = "results.previous.jsonl"
_LOCK_NAME = ".lock"
_NEW_NAME = "results.jsonl.new"
_SYNC_INTERVAL_S = 1.0


class Store:
    """The results folder of one run.

    Opening it makes and locks the folder, keeps an old run as `results.previous.jsonl` and writes the header.
    Every `append` reaches the kernel before it returns, so a killed process loses nothing; the disk has it
    within about a second. A process forked off does not inherit the store: neither the lock nor the file.

    Raises ResultsError, one line, where the folder is in use by another run or cannot be written.
    """

    def __init__(
        self, folder: Path | str, header: Header, kept: Iterable[CaseRecord | BenchmarkRecord] = ()
    ) -> None:
        """`kept` are the cases and benchmarks of a run that was cut off and goes on here; they come first."""
        self.folder = Path(folder)
        self.path = self.folder / FILE_NAME
        self.counts: Counter[str] = Counter()
        self.benchmarks = 0
        self._encoder = msgspec.json.Encoder()
        self._synced = time.monotonic()
        self._file = -1
        self._owner = os.getpid()
        self._lock = self._take_folder()
        try:
            self._start(header, kept)
        except OSError as error:
            self._release()
            raise ResultsError(self.folder, f"the results cannot be written ({error.strerror})") from None
        _open_stores.add(self)

    @staticmethod
    def check(folder: Path) -> None:
        """Raise ResultsError where no store can be opened in the folder now; makes nothing.

        What can only be found out by opening it is left to that.
        """
        try:
            check_folder(folder)
            if not os.path.exists(folder / _LOCK_NAME):
                return
            lock = os.open(folder / _LOCK_NAME, os.O_RDWR)
        except OSError as error:
            raise _unusable(folder, error) from None
        try:
            _lock(folder, lock)
        finally:
            os.close(lock)

    def append(self, record: CaseRecord | BenchmarkRecord) -> None:
        """Write one case or benchmark; ResultsError when the disk refuses it (the records before stay
        readable).
        """
        self._write(record)
        self._count(record)

    def finish(self, exitstatus: int, items: int = 0) -> None:
        """Write the footer with how many tests ended, sync, and give the folder back.

        ResultsError when the disk refuses it; the folder is given back all the same.
        """
        footer = Footer(
            finished=datetime.now(timezone.utc),
            counts=dict(sorted(self.counts.items())),
            exitstatus=exitstatus,
            benchmarks=self.benchmarks,
            items=items,
        )
        try:
            self._write(footer)
        except ResultsError:
            self._release()
            raise
        self.close()

    def close(self) -> None:
        """Give the folder back without a footer: the run reads as cut off. Harmless when closed already.

        ResultsError where the disk does not say that it has everything; the folder is given back then too.
        """
        try:
            if self._file >= 0:
                os.fsync(self._file)
        except OSError as error:
            raise ResultsError(self.path, f"the results may be lost ({error.strerror})") from None
        finally:
            self._release()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _count(self, record: CaseRecord | BenchmarkRecord) -> None:
        if isinstance(record, BenchmarkRecord):
            self.benchmarks += 1
        else:
            self.counts[record.verdict.value] += 1

    def _take_folder(self) -> int:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / _LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise _unusable(self.folder, error) from None
        try:
            _lock(self.folder, lock)
        except ResultsError:
            os.close(lock)
            raise
        return lock

    def _start(self, header: Header, kept: Iterable[CaseRecord | BenchmarkRecord]) -> None:
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, f"process {os.getpid()}, run {header.run_id}\n".encode(), 0)
        new = self.folder / _NEW_NAME
        self._file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
        self._write_line(self._encoder.encode(header))
        for record in kept:
            self._write_line(self._encode(record))
            self._count(record)
        if self.path.exists():
            os.replace(self.path, self.folder / PREVIOUS_NAME)
        os.replace(new, self.path)
        self._sync_folder()

    def _write(self, record: Record) -> None:
        if self._file < 0:
            raise ResultsError(self.path, "the run's store is closed")
        try:
            self._write_line(self._encode(record))
            if time.monotonic() - self._synced >= _SYNC_INTERVAL_S:
                os.fdatasync(self._file)
                self._synced = time.monotonic()
        except OSError as error:
            raise ResultsError(self.path, f"a record cannot be written ({error.strerror})") from None

    def _encode(self, record: Record) -> bytes:
        try:
            return self._encoder.encode(record)
        except UnicodeEncodeError:
            return self._encoder.encode(_without_surrogates(msgspec.to_builtins(record)))

    def _write_line(self, encoded: bytes) -> None:
        line = encoded + b"\n"
        before = os.fstat(self._file).st_size
        try:
            written = os.write(self._file, line)
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError:
            os.ftruncate(self._file, before)
            raise

    def _sync_folder(self) -> None:
        os.fsync(self._file)
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _release(self) -> None:
        if self._lock >= 0 and os.getpid() == self._owner:
            # A child that was forked just now may not have closed its own descriptor of it yet.
            fcntl.flock(self._lock, fcntl.LOCK_UN)
        for descriptor in (self._file, self._lock):
            if descriptor >= 0:
                os.close(descriptor)
        self._file = self._lock = -1


def _unusable(folder: Path, error: OSError) -> ResultsError:
    return ResultsError(folder, f"not a folder to write to ({error.strerror}); choose another with --results")


def _lock(folder: Path, lock: int) -> None:
    """Take the lock, which closing its last descriptor gives back; ResultsError where another run has it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
            raise ResultsError(folder, f"the folder cannot be locked ({error.strerror})") from None
        holder = os.pread(lock, 200, 0).decode(errors="replace").strip() or "unknown"
        what = f"in use by another run ({holder}); wait for it or choose another with --results"
        raise ResultsError(folder, what) from None


def _without_surrogates(value: Any) -> Any:
    """The value with lone surrogates (from a driver's text that was no UTF-8) as question marks."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_without_surrogates(entry) for entry in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(entry) for key, entry in value.items()}
    return value


_open_stores: weakref.WeakSet[Store] = weakref.WeakSet()


def _leave_to_parent() -> None:
    for store in list(_open_stores):
        store._release()


# A child that outlives the run would otherwise hold the folder's lock with it.
os.register_at_fork(after_in_child=_leave_to_parent)
