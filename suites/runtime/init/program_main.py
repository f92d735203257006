"""A program of its own that loads the library under test: run as a module with a way and the library's path.

`exit` leaves it to an exit handler to finalise. `leave` ends with a live stream and never finalises. `loaded`
prints what loading and initialising have changed in the process, one thing a line. Nothing but the standard
library is loaded.
"""

from __future__ import annotations

import ctypes
import locale
import os
import resource
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

_SMALL = 2.3e-308
"""Half of it is a number that a processor in the wrong mode takes for 0."""

_LIMITS = ("RLIMIT_STACK", "RLIMIT_CORE", "RLIMIT_AS", "RLIMIT_NOFILE")
_SIGNALS = ("SigBlk", "SigIgn", "SigCgt")


def state() -> dict[str, str]:
    """What a library must leave alone: signals, floating-point mode, locale, limits and working folder."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    kept = dict(line.split(":", 1) for line in lines if line.startswith(_SIGNALS))
    kept["floating point"] = repr(_SMALL / 2)
    kept["locale"] = locale.setlocale(locale.LC_ALL, None)
    kept["working folder"] = os.getcwd()
    return kept | {name: str(resource.getrlimit(getattr(resource, name))) for name in _LIMITS}


def told_changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """What is different, one thing a line."""
    return [
        f"{name}: {before[name].strip()} became {after[name].strip()}"
        for name in before
        if before[name] != after[name]
    ]


def finalise_at_exit(path: str) -> int:
    """Initialise, and let the process finalise when it exits."""
    library = ctypes.CDLL(path)
    at_exit = getattr(ctypes.CDLL(None), "__cxa_atexit")
    # Registered first and so called last, when the library's own handlers have run.
    at_exit(ctypes.cast(library.aclFinalize, ctypes.c_void_p), None, None)
    return int(library.aclInit(None) or library.aclrtSetDevice(0))


def leave(path: str) -> int:
    """Initialise, set a device, make a stream where the product lets it be made this way, and end."""
    library = ctypes.CDLL(path)
    stream = ctypes.c_void_p()
    begun = library.aclInit(None) or library.aclrtSetDevice(0)
    library.aclrtCreateStream(ctypes.byref(stream))
    return int(begun)


def load_and_compare(path: str) -> int:
    """Load and initialise; print what that has changed."""
    before = state()
    library = ctypes.CDLL(path)
    changes = told_changes(before, state())
    code = int(library.aclInit(None))
    changes = changes or told_changes(before, state())
    print("\n".join(changes))
    library.aclFinalize()
    return code


_WAYS: Mapping[str, Callable[[str], int]] = {
    "exit": finalise_at_exit,
    "leave": leave,
    "loaded": load_and_compare,
}

if __name__ == "__main__":
    sys.exit(min(_WAYS[sys.argv[1]](sys.argv[2]), 1))
