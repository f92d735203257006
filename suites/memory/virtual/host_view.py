"""What the host's own instructions find at an address."""

from __future__ import annotations

import ctypes
import os


def host_sees(address: int, size: int) -> bytes | None:
    """The bytes at an address of this process, at most those that fit a pipe; None where the host may not
    read there.

    The kernel reads them on behalf of this process: an address out of reach is an answer and not a crash.
    """
    readable, writable = os.pipe()
    try:
        os.set_blocking(writable, False)
        count = os.write(writable, (ctypes.c_char * size).from_address(address))
        return os.read(readable, count)
    except OSError:
        return None
    finally:
        os.close(readable)
        os.close(writable)
