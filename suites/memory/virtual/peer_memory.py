"""Virtual memory of a second device."""

from __future__ import annotations

from typing import Any

from harness.device import pattern
from harness.plugin import Block, Expect
from suites.memory.copy.peers import Peer
from suites.memory.virtual.ledger import Ledger
from suites.memory.virtual.properties import GRANULE, grant, on_device
from suites.memory.virtual.space import Mapping, Space, viewer


class PeerMemory(Space):
    """Makes virtual memory with the second device current; a context manager that gives it back."""

    def __init__(self, peer: Peer, expect: Expect) -> None:
        super().__init__(_Noted(peer, ledger := Ledger()), viewer(peer))
        self._peer = peer
        self._expect = expect
        self._ledger = ledger

    def __enter__(self) -> PeerMemory:
        return self

    def __exit__(self, *_: object) -> None:
        self._ledger.give_back(self._peer)

    def handle_here(self, size: int = GRANULE) -> int:
        """Fresh physical memory of the second device."""
        return self.handle(size, on_device(device=self._peer.device))

    def mapped_for_both(self) -> Mapping:
        """A granule of the second device in a range of its own, with peer access enabled and granted to
        device 0.
        """
        self._peer.open()
        mapping = self.mapped(properties=on_device(device=self._peer.device))
        self.call("aclrtMemSetAccess", virPtr=mapping.ptr, size=GRANULE, desc=[grant(0)], count=1)
        return mapping

    def expect_reached(self, block: Block) -> None:
        """With the second device current, memory of the first is read and written."""
        there = self.view(block.ptr, block.size)
        self._expect.data(there, block.expected(), "the range as the second device reads it")
        there.write(pattern(block.size, seed=3))
        self._expect.data(
            block, pattern(block.size, seed=3), "the range after the second device has written it"
        )


class _Noted:
    """Calls with the second device current, taken down in a ledger."""

    def __init__(self, peer: Peer, ledger: Ledger) -> None:
        self._peer = peer
        self._ledger = ledger

    def call(self, api: str, /, **args: Any) -> Any:
        """Call a C function."""
        result = self._peer.call(api, **args)
        self._ledger.note(api, args, result)
        return result
