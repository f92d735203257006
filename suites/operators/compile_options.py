"""Options of the online compiler: set and read, and what documents say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.binding import Result, text
from harness.plugin import Block

JIT = "ACL_OP_JIT_COMPILE"
DEBUG = "ACL_OP_DEBUG_OPTION"
OOM = "oom"

ACCEPTED: Sequence[tuple[str, str]] = (
    ("ACL_PRECISION_MODE", "must_keep_origin_dtype"),
    ("ACL_OP_SELECT_IMPL_MODE", "high_precision"),
    ("ACL_OP_DEBUG_LEVEL", "0"),
    ("ACL_OP_COMPILER_CACHE_MODE", "disable"),
    (JIT, "enable"),
    (JIT, "disable"),
    ("ACL_OP_DETERMINISTIC", "1"),
    (DEBUG, OOM),
)
"""Options, and values that each must take."""

JIT_DEFAULTS: Mapping[str, str] = {
    "A3": "disable",
    "910b": "disable",
    "310b": "enable",
    "310p": "enable",
    "910": "enable",
}
"""Whether operators are compiled online where nobody says so, by product."""

_ROOM = 256


class CompileOptions:
    """Options of the process on the surface under test."""

    def __init__(self, acl: Any) -> None:
        self._acl = acl

    def set(self, option: str, value: str | Block) -> Result:
        """The answer to setting an option to a text, or to the text in a block."""
        result: Result = self._acl.call("aclSetCompileopt", opt=option, value=value)
        return result

    def ask(self, option: str, room: int = _ROOM) -> Result:
        """The answer to reading an option into a buffer of so many bytes."""
        result: Result = self._acl.call("aclGetCompileopt", opt=option, length=room)
        return result

    def size(self, option: str) -> int:
        """The size that is told of an option's value."""
        return int(self._acl.call("aclGetCompileoptSize", opt=option).value)

    def read(self, option: str, room: int = _ROOM) -> str:
        """The value of an option; what the call returned where it failed, and what stands there where the
        text does not end in the buffer.
        """
        answer = self.ask(option, room)
        if not answer.ok:
            return f"refused with {answer.name or answer.code}"
        ends = b"\0" in answer.value
        return text(answer.value) if ends else f"no end in {room} bytes: {answer.value!r}"

    def read_sized(self, option: str) -> str:
        """The value of an option, read into a buffer of the size that is told."""
        size = self.size(option)
        return self.read(option, size) if 0 < size <= _ROOM else f"a size of {size}"

    def read_after(self, option: str, *values: str) -> list[str]:
        """What is read after each of these values was set."""
        told = []
        for value in values:
            answer = self.set(option, value)
            told.append(self.read(option) if answer.ok else f"{value} is refused with {answer.name}")
        return told
