"""What the companions of the nursery's tests do."""

from __future__ import annotations

import os
import socket
import sys
import time
from typing import NoReturn


def tell(line: socket.socket) -> None:
    """Say what this process is, then wait for the other side to go."""
    print("said by a companion", file=sys.stderr, flush=True)
    descriptors = sorted(int(name) for name in os.listdir("/proc/self/fd"))
    line.sendall(f"{os.getpid()} {os.getppid()} {os.environ.get('COLOUR')} {descriptors[:5]}\n".encode())
    line.recv(1)


def crash(line: socket.socket) -> None:
    """Die of a signal."""
    os.abort()


def leave(line: socket.socket) -> NoReturn:
    """End with a status of its own."""
    os._exit(9)


def sleep(line: socket.socket) -> None:
    """Never notice that the other side has gone."""
    line.sendall(b"asleep\n")
    time.sleep(60)
