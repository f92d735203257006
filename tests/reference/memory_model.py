"""A model of device memory, and random programs over it: what every read must give is known beforehand.

A program is one list of operations for each of some threads. Each thread has memory of its own, so that what
it must find does not depend on the others; the library's allocator, address space and scheduler are
everybody's.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

SLOTS = 12
LARGEST = 4096
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MOST_AT_ONCE = 5
# What is drawn next, with weights: most operations touch memory, a few make or take it away.
_CHANGES = {"write": 20, "fill": 10, "copy": 20, "read": 25, "later": 15}
_OWNERSHIP = {"allocate": 5, "map": 1, "free": 5}


def content(seed: int, size: int) -> Bytes:
    """The bytes that a seed stands for; the executing program makes the same."""
    places = np.arange(1, size + 1, dtype=np.uint64)
    return ((places * np.uint64(seed | 1) * _FACTOR) >> np.uint64(24)).astype(np.uint8)


def checksum(data: Bytes) -> int:
    """A number that tells lost, doubled and displaced bytes."""
    weights = np.arange(1, data.size + 1, dtype=np.uint64) * _FACTOR
    return int(((data.astype(np.uint64) + np.uint64(1)) * weights).sum(dtype=np.uint64))


class Model:
    """The memory of one thread: blocks by slot."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._blocks: dict[int, Bytes] = {}

    def operations(self, count: int) -> Iterator[str]:
        """So many operations and a few more at the end, each as a line for the executing program."""
        done = 0
        while done < count:
            for line in self._next():
                yield line
                done += 1
        for slot in list(self._blocks):
            yield self._read(slot, 0, self._blocks[slot].size)
            yield f"free {slot}"

    def _next(self) -> Iterator[str]:
        kinds = _OWNERSHIP | (_CHANGES if self._blocks else {})
        kind = self._draw.choices(list(kinds), list(kinds.values()))[0]
        if kind in ("allocate", "map"):
            yield from self._take(kind)
        elif kind == "later":
            # Work put on the stream at once, then waited for.
            for _ in range(self._draw.randint(1, _MOST_AT_ONCE)):
                yield self._draw.choice([self._fill, self._copy])("_later")
            yield "wait"
        elif self._blocks:
            slot = self._draw.choice(list(self._blocks))
            if kind == "free":
                del self._blocks[slot]
                yield f"free {slot}"
            elif kind == "read":
                yield self._read(slot, *self._window(slot))
            else:
                yield {"write": self._write, "fill": self._fill, "copy": self._copy}[kind]("")

    def _take(self, kind: str) -> Iterator[str]:
        free = [slot for slot in range(SLOTS) if slot not in self._blocks]
        if free:
            slot, size, seed = self._draw.choice(free), self._draw.randint(1, LARGEST), self._seed()
            self._blocks[slot] = content(seed, size)
            yield f"{kind} {slot} {size}"
            yield f"write {slot} 0 {size} {seed}"

    def _window(self, slot: int, limit: int = LARGEST) -> tuple[int, int]:
        """A random part of a block: offset and size."""
        whole = self._blocks[slot].size
        size = self._draw.randint(1, min(whole, limit))
        return self._draw.randint(0, whole - size), size

    def _seed(self) -> int:
        return self._draw.getrandbits(32)

    def _any(self) -> int:
        return self._draw.choice(list(self._blocks))

    def _read(self, slot: int, offset: int, size: int) -> str:
        return f"read {slot} {offset} {size} {checksum(self._blocks[slot][offset : offset + size])}"

    def _write(self, how: str) -> str:
        slot, seed = self._any(), self._seed()
        offset, size = self._window(slot)
        self._blocks[slot][offset : offset + size] = content(seed, size)
        return f"write{how} {slot} {offset} {size} {seed}"

    def _fill(self, how: str) -> str:
        slot, byte = self._any(), self._draw.randrange(256)
        offset, size = self._window(slot)
        self._blocks[slot][offset : offset + size] = byte
        return f"fill{how} {slot} {offset} {size} {byte}"

    def _copy(self, how: str) -> str:
        source, target = self._any(), self._any()
        if source == target:
            # Where source and target overlap, nothing is promised.
            return self._fill(how)
        start, size = self._window(source, self._blocks[target].size)
        place = self._draw.randint(0, self._blocks[target].size - size)
        self._blocks[target][place : place + size] = self._blocks[source][start : start + size]
        return f"copy{how} {target} {place} {size} {source} {start}"


def program(seed: int, threads: int, count: int) -> list[list[str]]:
    """The operations of each thread; the same seed gives the same."""
    return [list(Model(random.Random(f"{seed}/{number}")).operations(count)) for number in range(threads)]


def as_text(operations: list[list[str]]) -> str:
    """What the executing program reads: for each thread the number of its operations, then these."""
    return "".join(f"{len(lines)}\n" + "\n".join(lines) + "\n" for lines in operations)
