"""A call journal that outlives its process: a memory-mapped file of lines.

Each call takes one line of a ring before it starts, and the line is completed when it returns. The pages
belong to the file, so a line is there for the parent even after SIGKILL, or after a crash inside the call.
A line is a text; of a call with numbers alone, as most are, it is a struct, written in half the time.
"""

from __future__ import annotations

import ctypes
import itertools
import mmap
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

_MAGIC = b"acl-journal-1"
# ctypes gives this type no public name.
_BY_REFERENCE: Any = type(ctypes.byref(ctypes.c_int()))
_STARTED, _FINISHED = ord(">"), ord("=")
_PACKED_STARTED, _PACKED_FINISHED = ord("("), ord(")")
_MARKS = (_STARTED, _FINISHED, _PACKED_STARTED, _PACKED_FINISHED)
# Columns of a line: mark, sequence number, thread id, code, then the call.
_SEQUENCE, _THREAD, _CODE = 12, 20, 20
# The head of a line, and what stands for its code until the call returns.
_HEAD = b"> %%%dd %%%dd %s " % (_SEQUENCE, _THREAD, b" " * _CODE)
_CODE_AT = 2 + _SEQUENCE + 1 + _THREAD + 1
_CALL_AT = _CODE_AT + _CODE + 1

# Mark, whether there is a code, how many numbers, sequence number, thread id, code, function; the numbers.
_NAME = 56
_PACKED_HEAD = struct.Struct(f"<cBB5xqQq{_NAME}s")
_PACKED = [struct.Struct(f"{_PACKED_HEAD.format}{count}q") for count in range(32)]
_PACKED_CODE = struct.Struct("<q")
_PACKED_CODE_AT = 24


class Journal:
    """A ring of `lines` lines of `width` bytes in a new file; a longer call is cut.

    OSError where the file cannot be made.
    """

    def __init__(self, path: str | Path, lines: int = 64, width: int = 256) -> None:
        self.path = Path(path)
        self._lines = lines
        self._width = width
        self._number = itertools.count()
        self._as_text: set[str] = set()
        self._packed = _PACKED[: max(0, (width - _PACKED_HEAD.size) // 8 + 1)]
        header = b"%s %d %d" % (_MAGIC, lines, width)
        with self.path.open("w+b") as file:
            file.write(header.ljust(width - 1) + b"\n" + (b" " * (width - 1) + b"\n") * lines)
            file.flush()
            self._map = mmap.mmap(file.fileno(), 0)

    def start(self, function: str, args: tuple[Any, ...]) -> int:
        """Write a call down before it is made; returns where, for `finish`."""
        number = next(self._number)
        at = self._width * (1 + number % self._lines)
        if function not in self._as_text:
            name = function.encode()
            if len(name) <= _NAME and len(args) < len(self._packed):
                try:
                    head = (b"(", 0, len(args), number, threading.get_ident(), 0, name)
                    self._packed[len(args)].pack_into(self._map, at, *head, *args)
                    return at
                except struct.error:
                    # Not only numbers, or larger ones: the next call is likely to be like that too.
                    self._as_text.add(function)
        # The line ends here; what an older, longer one left behind is not read.
        data = (_HEAD % (number, threading.get_ident()) + _told(function, args))[: self._width - 1] + b"\n"
        self._map[at : at + len(data)] = data
        return at

    def finish(self, at: int, code: Any, function: str = "", args: tuple[Any, ...] = ()) -> None:
        """Complete the line of a call that has returned; with the call again, its outputs as they are now."""
        if self._map[at] == _PACKED_STARTED:
            if type(code) is int and -(2**63) <= code < 2**63:
                _PACKED_CODE.pack_into(self._map, at + _PACKED_CODE_AT, code)
                self._map[at + 1] = 1
            self._map[at] = _PACKED_FINISHED
            return
        if _BY_REFERENCE in map(type, args):
            data = _told(function, args, _now)[: self._width - 1 - _CALL_AT] + b"\n"
            self._map[at + _CALL_AT : at + _CALL_AT + len(data)] = data
        shown = b"%20d" % code if type(code) is int else b"%20s" % b"-"
        self._map[at + _CODE_AT : at + _CODE_AT + _CODE] = shown
        self._map[at] = _FINISHED

    def close(self) -> None:
        """Let go of the file; what was written stays."""
        self._map.close()


def read_journal(path: str | Path) -> list[dict[str, Any]]:
    """The calls of a journal, oldest first: sequence, thread, function, args (texts), code (int or None),
    unfinished.

    Works while the writer is alive and after it died. ValueError where the file is no journal.
    """
    data = Path(path).read_bytes()
    header = data.split(b"\n", 1)[0].split()
    if len(header) != 3 or header[0] != _MAGIC:
        raise ValueError(f"{path}: not a call journal")
    width = int(header[2])
    lines = (data[at : at + width] for at in range(width, len(data), width))
    entries = [_parse(line) for line in lines if line[0] in _MARKS]
    return sorted(entries, key=lambda entry: int(entry["sequence"]))


def _parse(line: bytes) -> dict[str, Any]:
    return (
        _unpacked(line) if line[0] in (_PACKED_STARTED, _PACKED_FINISHED) else _read(line.split(b"\n", 1)[0])
    )


def _unpacked(line: bytes) -> dict[str, Any]:
    mark, has_code, count, sequence, thread, code, name = _PACKED_HEAD.unpack_from(line)
    numbers = struct.unpack_from(f"<{count}q", line, _PACKED_HEAD.size)
    return {
        "sequence": sequence,
        "thread": thread,
        "function": name.rstrip(b"\0").decode(),
        "args": [str(number) for number in numbers],
        "code": code if has_code else None,
        "unfinished": ord(mark) == _PACKED_STARTED,
    }


def _read(line: bytes) -> dict[str, Any]:
    head, call = line[:_CALL_AT].decode("utf-8", "replace"), line[_CALL_AT:].decode("utf-8", "replace")
    function, *args = call.split("\t")
    code = head[_CODE_AT : _CODE_AT + _CODE].strip()
    return {
        "sequence": int(head[2 : 2 + _SEQUENCE]),
        "thread": int(head[3 + _SEQUENCE : 3 + _SEQUENCE + _THREAD]),
        "function": function,
        "args": args,
        "code": int(code) if code.lstrip("-").isdigit() else None,
        "unfinished": line[0] == _STARTED,
    }


def _told(function: str, args: tuple[Any, ...], referred: Callable[[Any], str] | None = None) -> bytes:
    """A call as the words of a line; `referred` tells arguments that C was given the address of."""
    other = referred or _brief
    words = [
        str(arg) if type(arg) is int else other(arg) if type(arg) is _BY_REFERENCE else _brief(arg)
        for arg in args
    ]
    return "\t".join([function, *words]).encode("utf-8", "replace")


def _now(value: Any) -> str:
    """What a variable of C holds that a call was given the address of: its number, else its type."""
    holder = value._obj
    if not isinstance(holder, ctypes._SimpleCData):
        return type(holder).__name__
    held = holder.value
    return "NULL" if held is None else str(held) if type(held) is int else type(holder).__name__


def _brief(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, bytes):
        return repr(value[:64])
    return type(getattr(value, "_obj", value)).__name__
