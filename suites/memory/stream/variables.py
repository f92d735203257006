"""Device variables of a program built by the device compiler.

On the reference device the harness lays them out itself. Elsewhere they come from the shared library that
ACLCTS_DEVICE_VARIABLES names, built from the sources beside this file; without it the cases are blocked.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from harness.device import DeviceError, require
from harness.device.blocks import CopyAccess
from harness.plugin import Block, Blocked, Bytes, Case, Memory
from suites.memory.virtual.properties import MIB

LIBRARY = "ACLCTS_DEVICE_VARIABLES"
"""The environment variable that names the library with the variables."""

QUAD, BYTES, LARGE, RECORD, SCALAR, FUNCTION, FAR = (
    "quad",
    "bytes",
    "large",
    "record",
    "scalar",
    "function",
    "far",
)

INITIAL: dict[str, bytes] = {
    QUAD: struct.pack("<4f", 1, 2, 3, 4),
    BYTES: bytes(37),
    LARGE: bytes(4 * MIB),
    RECORD: struct.pack("<bxxxxxxxq3fxxxx", 1, 2, 3, 4, 5),
    SCALAR: struct.pack("<i", 7),
    FUNCTION: bytes(8),
    FAR: struct.pack("<4f", 5, 6, 7, 8),
}
"""What each variable begins as."""


@dataclass(frozen=True)
class Variable:
    """A device variable: the host address it is known by, and what it begins as."""

    symbol: int
    initial: bytes

    @property
    def size(self) -> int:
        """Its bytes."""
        return len(self.initial)


class Variables:
    """The device variables of a case, made or found when they are asked for."""

    def __init__(
        self, case: Case, memory: Memory, at_end: Callable[[Callable[[], None]], None] | None = None
    ) -> None:
        self._case = case
        self._memory = memory
        self._at_end = at_end or case.resources.at_end
        self._known: dict[str, Variable] = {}

    def named(self, name: str) -> Variable:
        """A variable; the case is blocked where there is none."""
        if name not in self._known:
            self._known[name] = Variable(self._symbol(name), INITIAL[name])
        return self._known[name]

    @property
    def there(self) -> bool:
        """Whether there are device variables at all."""
        return self._case.engine.library.control is not None or bool(os.environ.get(LIBRARY))

    def block(self, name: str, data: Bytes | None = None, caller: Any = None) -> Block:
        """The memory of a variable on the current device, with these bytes or as it is.

        `caller` makes the calls: the second device's, to reach a variable there.
        """
        variable, c = self.named(name), caller or self._case.engine.c
        found = require(c.call("aclrtGetSymbolAddress", symbol=variable.symbol), "looking for a variable")
        block = Block("device", int(found.devPtr), variable.size, 0, CopyAccess(c), lambda: None)
        if data is not None:
            return block.write(data)
        block.written = np.frombuffer(variable.initial, np.uint8)
        return block

    def _symbol(self, name: str) -> int:
        control = self._case.engine.library.control
        if control is None:
            return _loaded(name)
        symbol = self._memory.pageable(64).ptr
        control.add_variable(symbol, INITIAL[name])
        self._at_end(lambda: control.remove_variable(symbol))
        return symbol


def _loaded(name: str) -> int:
    path = os.environ.get(LIBRARY)
    if not path:
        raise Blocked(f"no program with device variables: build one and name it with {LIBRARY}")
    symbol = _library(path).aclcts_variable(name.encode())
    if not symbol:
        raise DeviceError(f"{path} has no device variable {name!r}")
    return int(symbol)


@cache
def _library(path: str) -> Any:
    try:
        library = ctypes.CDLL(path)
        library.aclcts_variable.restype = ctypes.c_void_p
        library.aclcts_variable.argtypes = [ctypes.c_char_p]
    except (OSError, AttributeError) as error:
        raise DeviceError(f"{LIBRARY}: {error}") from None
    return library
