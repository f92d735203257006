"""Copies between blocks that a test has made itself."""

from __future__ import annotations

from harness.plugin import Block
from suites.memory.copy.copies import Copies, Trial
from suites.memory.copy.layout import Plan, Transfer


class HostCopies(Copies):
    """Trials of the copy suites over whole blocks of this suite."""

    def from_block(self, source: Block, target: Block) -> Trial:
        """A trial that moves all of one block into another; the source is filled."""
        target.snapshot()
        size = source.size
        return self.over(source, target, Plan((Transfer(0, 0, size),), size, target.size))
