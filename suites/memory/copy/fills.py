"""Fills: windows of a block that are set to values, by bytes or by words, and the image they must leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from harness.plugin import Block, Case, Expect, Hold, Memory
from suites.memory.copy.copies import Copies
from suites.memory.copy.kinds import D2H
from suites.memory.copy.layout import BORDER, Bytes, windows
from suites.threads import elsewhere

Holding: TypeAlias = Callable[[int | None], AbstractContextManager[Hold]]

WORD = 4
"""Bytes of a value of the D32 functions."""


@dataclass(frozen=True)
class Window:
    """`count` values, of `unit` bytes each, from an offset of the block on."""

    offset: int
    value: int
    count: int
    unit: int = 1

    @property
    def size(self) -> int:
        """Bytes that are written."""
        return self.count * self.unit

    @property
    def content(self) -> Bytes:
        """The bytes that are written, in the byte order of the host."""
        kind = np.uint8 if self.unit == 1 else np.uint32
        return np.full(self.count, self.value, kind).view(np.uint8)


@dataclass
class Fill:
    """A block, the windows that are set in it, and what the calls answered."""

    block: Block
    windows: tuple[Window, ...]
    before: Bytes
    roomy: bool = False
    """Whether the calls are told of room to the end of the block instead of the end of the window."""
    results: list[Any] = field(default_factory=list)

    @property
    def image(self) -> Bytes:
        """What the block must hold when exactly the windows were set."""
        after = self.before.copy()
        for window in self.windows:
            after[window.offset : window.offset + window.size] = window.content
        return after

    def room(self, window: Window) -> int:
        """What a call is told to be the room for a window, in bytes."""
        return self.block.size - window.offset if self.roomy else window.size

    def where(self, offset: int) -> str:
        """Which block, and which of its windows, an offset belongs to, in words for a failure message."""
        return f"the {self.block.kind} block: {self.place(offset)}"

    def place(self, offset: int) -> str:
        """Which window an offset belongs to, in words for a failure message."""
        for window in self.windows:
            if -BORDER <= offset - window.offset < window.size + BORDER:
                return f"byte {offset - window.offset} counted from the start of {window}"
        return "outside every window"


class Fills:
    """Makes, runs and judges fills; the asynchronous functions get `stream`."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect, copies: Copies) -> None:
        self.acl = acl
        self.case = case
        self.memory = memory
        self.expect = expect
        self._copies = copies

    def of(
        self,
        kind: str,
        values: Sequence[int],
        counts: Sequence[int],
        unit: int = 1,
        skew: int | Sequence[int] = 0,
        roomy: bool = False,
    ) -> Fill:
        """A fill of a block with one window for every value and count; several skews take turns."""
        pairs = [(value, count) for value in values for count in counts]
        skews = (skew,) if isinstance(skew, int) else skew
        offsets, size = windows([count * unit for _, count in pairs], skews)
        block = self.memory.of(kind, size)
        made = [Window(at, value, count, unit) for at, (value, count) in zip(offsets, pairs, strict=True)]
        return Fill(block, tuple(made), block.expected(), roomy)

    def whole(self, kind: str, value: int, counts: Sequence[int], unit: int = 1) -> list[Fill]:
        """For each count a fill of all of one block, with no guards of ours."""
        made = []
        for count in counts:
            block = self.memory.of(kind, count * unit, guard=0)
            made.append(Fill(block, (Window(0, value, count, unit),), block.expected()))
        return made

    def on_both_sides(self, *what: Any, **options: Any) -> list[Fill]:
        """A fill of device memory and one of pinned memory, where the product has that."""
        kinds = [kind for kind in ("device", "pinned") if self.memory.supports(kind)]
        return [self.of(kind, *what, **options) for kind in kinds]

    def submit(self, api: str, fill: Fill, **stream: Any) -> None:
        """Set every window by a call of its own."""
        for window in fill.windows:
            fill.results.append(self.acl.call(api, **self._arguments(api, fill, window), **stream))

    def run(self, api: str, fill: Fill, **stream: Any) -> None:
        """Set every window and wait for the stream, where there is one."""
        self.submit(api, fill, **stream)
        if "stream" in stream:
            self._copies.settle(stream["stream"])

    def run_all(self, api: str, fills: Sequence[Fill], **stream: Any) -> None:
        """Set the windows of several fills."""
        for fill in fills:
            self.run(api, fill, **stream)

    def run_elsewhere(self, api: str, fill: Fill) -> None:
        """Set every window in another thread."""
        elsewhere(self.acl, lambda: self.run(api, fill))

    def run_while_held(self, api: str, blocked_stream: Holding, fills: Sequence[Fill], stream: int) -> None:
        """Run and judge the first fill while the stream is held, the second while the default is.

        The second is left out where a context has no default stream.
        """
        streams = [stream, None] if self.case.has_default_stream else [stream]
        for fill, held in zip(fills, streams, strict=False):
            with blocked_stream(held):
                self.run(api, fill)
                self.expect_filled(fill)

    def submit_with_less_room(self, api: str, fills: Sequence[Fill], **stream: Any) -> None:
        """Try to set every window of several fills, telling of one byte less room than it needs."""
        for fill in fills:
            for window in fill.windows:
                arguments = self._arguments(api, fill, window)
                arguments["memSize" if "memSize" in arguments else "maxCount"] -= 1
                fill.results.append(self.acl.call(api, **arguments, **stream))

    def diary(self, api: str, values: Iterable[int], count: int) -> Diary:
        """One block that takes every value in turn, and a host block that keeps a copy of each state."""
        unit = WORD if self.case.contract.function(api).param("memSize") is not None else 1
        entries = tuple(Window(0, value, count, unit) for value in values)
        block = self.memory.device(count * unit)
        kept = self.memory.pinned(block.size * len(entries))
        return Diary(api, Fill(block, entries, block.expected()), kept)

    def write_diary(self, diary: Diary, stream: int) -> None:
        """Queue each fill and, behind it, the copy of what it left; then wait for the stream."""
        fill = diary.fill
        for number, window in enumerate(fill.windows):
            arguments = self._arguments(diary.api, fill, window)
            fill.results.append(self.acl.call(diary.api, **arguments, stream=stream))
            fill.results.append(
                self.acl.call(
                    "aclrtMemcpyAsync",
                    dst=diary.kept.at(number * window.size),
                    destMax=window.size,
                    src=fill.block.ptr,
                    count=window.size,
                    kind=D2H,
                    stream=stream,
                )
            )
        self._copies.settle(stream)

    def expect_diary(self, diary: Diary) -> None:
        """Every call succeeded, and every copy shows the value of the fill before it."""
        for result in diary.fill.results:
            self.expect.success(result)
        want = np.concatenate([window.content for window in diary.fill.windows])
        self.expect.data(diary.kept, want, "the copies", width=diary.fill.block.size)

    def _arguments(self, api: str, fill: Fill, window: Window) -> dict[str, Any]:
        address, room = fill.block.at(window.offset), fill.room(window)
        if self.case.contract.function(api).param("memSize") is not None:
            return {"ptr": address, "memSize": room, "value": window.value, "N": window.count}
        return {"devPtr": address, "maxCount": room, "value": window.value, "count": window.count}

    def expect_filled(self, *fills: Fill) -> None:
        """Every call succeeded, and the windows, and nothing else, hold their values."""
        for fill in fills:
            self.expect.true("calls were made", bool(fill.results))
            for result in fill.results:
                self.expect.success(result)
            self.expect.data(fill.block, fill.image, fill.where)

    def expect_filled_for_another_thread(self, fill: Fill) -> None:
        """Another thread that reads the block at once finds exactly the windows set."""
        for result in fill.results:
            self.expect.success(result)
        self.expect.data(elsewhere(self.acl, fill.block.read), fill.image, "what another thread reads")

    def expect_filled_where_accepted(self, fill: Fill) -> None:
        """The windows of calls that succeeded hold their values; where one was refused nothing changed."""
        accepted = tuple(
            window for window, result in zip(fill.windows, fill.results, strict=True) if result.ok
        )
        self.expect.data(fill.block, replace(fill, windows=accepted).image, "the windows that were accepted")

    def expect_refused(self, *fills: Fill) -> None:
        """Every call was refused, and nothing has changed."""
        for fill in fills:
            for result in fill.results:
                self.expect.refused(result, unchanged=[fill.block])

    def expect_low_byte_recorded(self, fill: Fill) -> None:
        """What a value of more than a byte leaves is recorded; nothing outside the windows changes."""
        got = fill.block.read()
        for window, result in zip(fill.windows, fill.results, strict=True):
            held = got[window.offset : window.offset + window.size]
            shown = ", ".join(f"{byte:#04x}" for byte in np.unique(held)[:4])
            self.expect.observed(f"value {window.value:#x}: {result.code}, the bytes are {shown}")
        self.expect_outside_unchanged(fill)

    def expect_outside_unchanged(self, fill: Fill) -> None:
        """Nothing outside the windows changed, whatever the calls answered."""
        for result in fill.results:
            self.expect.observed(result, corrupted=[OutsideFill(fill)])

    def expect_deferred(self, fill: Fill, hold: Hold) -> None:
        """The calls came back while the stream is held and nothing was set; once released, all is."""
        for result in fill.results:
            self.expect.success(result)
        self._copies.let_others_run(hold)
        self.expect.data(fill.block, fill.before, "the block while its stream is held")
        hold.release()
        self._copies.settle(hold.stream)
        self.expect_filled(fill)

    def expect_set_sooner_or_later(self, fill: Fill, hold: Hold) -> None:
        """When the bytes of a held stream are set is recorded; they are set when it is synchronised."""
        early = fill.block.read()
        state = "new" if np.array_equal(early, fill.image) else "old"
        hold.release()
        self._copies.settle(hold.stream)
        self.expect_filled(fill)
        self.expect.observed(f"while the stream was held the bytes were {state}")


@dataclass
class Diary:
    """Fills of one block, and where a copy of each state is kept."""

    api: str
    fill: Fill
    kept: Block


class OutsideFill:
    """What lies outside the windows of a fill: bytes that nothing may change; compared like a block."""

    def __init__(self, fill: Fill) -> None:
        self.kind = fill.block.kind
        self._fill = fill

    def read(self) -> Bytes:
        """The block as it is, except for the windows, which read as they were before."""
        got = self._fill.block.read()
        for window in self._fill.windows:
            inside = slice(window.offset, window.offset + window.size)
            got[inside] = self._fill.before[inside]
        return got

    def expected(self) -> Bytes:
        """The block as it was."""
        return self._fill.before
