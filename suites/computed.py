"""What a device has computed, beside what it has to be."""

from __future__ import annotations

from harness.models import Array
from harness.plugin import Block


class Computed:
    """For a run with these outputs: the blocks they are in, and their true values."""

    output_blocks: tuple[Block, ...]
    expected: tuple[Array, ...]

    def result(self) -> bytes:
        """What the outputs hold now, one behind the other, without what buffers have beyond them."""
        pairs = zip(self.output_blocks, self.expected, strict=True)
        return b"".join(block.read()[: wanted.nbytes].tobytes() for block, wanted in pairs)

    @property
    def wanted(self) -> bytes:
        """What the outputs have to hold."""
        return b"".join(each.tobytes() for each in self.expected)
