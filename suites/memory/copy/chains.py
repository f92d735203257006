"""Work that hands data on through the same blocks: only its order keeps the links apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from harness.plugin import Block, Expect
from suites.memory.copy.kinds import D2D, D2H, DEFAULT, H2D


@dataclass
class Chain:
    """Link n goes from its place in `source` through `first` and `second` to its place in `target`."""

    acl: Any
    expect: Expect
    source: Block
    first: Block
    second: Block
    target: Block
    count: int
    links: int
    on_host: bool
    results: list[Any] = field(default_factory=list)

    def submit(self, api: str, stream: int | None) -> None:
        """Queue every link, three copies each, without waiting in between."""
        into, out = (H2D, D2H) if self.on_host else (D2D, D2D)
        for link in range(self.links):
            offset = link * self.step
            for target, source, kind in (
                (self.first.ptr, self.source.at(offset), into),
                (self.second.ptr, self.first.ptr, D2D),
                (self.target.at(offset), self.second.ptr, out),
            ):
                size = {"destMax": self.count, "count": self.count}
                self.results.append(
                    self.acl.call(api, dst=target, src=source, kind=kind, stream=stream, **size)
                )

    @property
    def step(self) -> int:
        """Bytes between two links' places; a multiple of 64."""
        return -(-self.count // 64) * 64

    def expect_kept(self) -> None:
        """Every copy was accepted and every link arrived as it left."""
        for result in self.results:
            self.expect.success(result)
        want = self.target.expected().copy()
        data = self.source.expected()
        for link in range(self.links):
            place = slice(link * self.step, link * self.step + self.count)
            want[place] = data[place]
        self.expect.data(self.target, want, "the ends of the chains", width=self.step)


RELAYED = 0x5A
"""What the fill at the start of a relay writes."""


@dataclass
class Relay:
    """A fill of `first`, a copy of it to `middle` and a copy from there to `last`, on one stream."""

    acl: Any
    expect: Expect
    first: Block
    middle: Block
    last: Block
    results: list[Any] = field(default_factory=list)

    def fill(self, stream: int) -> None:
        """Queue the fill."""
        size = self.first.size
        self.results.append(
            self.acl.call(
                "aclrtMemsetAsync",
                devPtr=self.first.ptr,
                maxCount=size,
                value=RELAYED,
                count=size,
                stream=stream,
            )
        )

    def hand_on(self, api: str, stream: int) -> None:
        """Queue the two copies, or make them, where the middle is pageable memory."""
        for target, source in ((self.middle, self.first), (self.last, self.middle)):
            size = {"destMax": target.size, "count": source.size}
            self.results.append(
                self.acl.call(api, dst=target.ptr, src=source.ptr, kind=DEFAULT, stream=stream, **size)
            )

    def expect_handed_on(self) -> None:
        """Every call was accepted, and what the fill has written has come through."""
        for result in self.results:
            self.expect.success(result)
        for block, name in ((self.middle, "middle"), (self.last, "last")):
            self.expect.data(block, RELAYED, f"the {name} block of the relay")
