"""Other processes for a case: clean ones, as other programs are, forked before any library was loaded."""

from __future__ import annotations

from harness.device import DeviceError
from harness.isolation import Companion, Nursery, NurseryError

__all__ = ["Companion", "close_nursery", "companion", "open_nursery"]

_open: list[Nursery] = []


def open_nursery() -> None:
    """Have clean processes from now on, here and in what is forked from here; harmless when done already.

    Call it before this process loads a library under test.
    """
    if not _open:
        _open.append(Nursery())


def close_nursery() -> None:
    """Have them no more."""
    while _open:
        _open.pop().close()


def companion(entry: str) -> Companion:
    """A new process in which the function `module:name` is called with a socket to this one.

    It has this process's environment and output. DeviceError where no process can be had.
    """
    if not _open:
        raise DeviceError("starting another process: only a run of cases has others")
    try:
        return _open[0].companion(entry)
    except NurseryError as error:
        raise DeviceError(f"starting another process: {error}") from None
