"""A model with two streams, one of which may go on at the other."""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.plugin import Memory
from suites.runtime.desk import Desk
from suites.runtime.stream.built import BuiltModel

_BYTES = 8
_HIGH = 1 << 32


class Comparison(NamedTuple):
    """Two numbers, as 8 bytes in device memory each, and how they are compared."""

    left: int
    condition: str
    right: int
    bits: int

    def __str__(self) -> str:
        return f"{self.left}-{self.condition.lower()}-{self.right}-int{self.bits}"


def _in_both_widths(*comparisons: tuple[int, str, int]) -> list[Comparison]:
    return [Comparison(*each, bits) for bits in (32, 64) for each in comparisons]


HOLDS = [
    *_in_both_widths((5, "EQUAL", 5), (5, "NOT_EQUAL", 6), (6, "GREATER", 5), (5, "GREATER_OR_EQUAL", 5)),
    *_in_both_widths((-1, "LESS", 1), (5, "LESS_OR_EQUAL", 5)),
    Comparison(_HIGH + 5, "EQUAL", 5, 32),
    Comparison(_HIGH, "GREATER", 5, 64),
]
"""Conditions that hold: for every one, at its border, and where only one of the widths lets it hold."""

FAILS = [
    *_in_both_widths((5, "EQUAL", 6), (5, "NOT_EQUAL", 5), (5, "GREATER", 5), (-1, "GREATER_OR_EQUAL", 1)),
    *_in_both_widths((5, "LESS", 5), (6, "LESS_OR_EQUAL", 5)),
    Comparison(_HIGH + 5, "EQUAL", 5, 64),
    Comparison(_HIGH, "GREATER", 5, 32),
]
"""Conditions that do not."""


class Switches:
    """This stream of a model, which may stop, and the one at which it goes on; both fill a block."""

    def __init__(self, memory: Memory, desk: Desk, model: BuiltModel) -> None:
        self._memory, self._desk, self._model = memory, desk, model
        self._streams = {"this": model.stream(), "target": model.stream(head=False)}
        self._blocks = {name: memory.device(64).fill(0) for name in self._streams}

    def arguments(self, comparison: Comparison) -> dict[str, Any]:
        """The arguments of the switch."""
        return {
            "leftValue": self._number(comparison.left),
            "cond": f"ACL_RT_{comparison.condition}",
            "rightValue": self._number(comparison.right),
            "dataType": f"ACL_RT_SWITCH_INT{comparison.bits}",
            "trueStream": self._streams["target"],
            "falseStream": None,
            "stream": self._streams["this"],
        }

    def run(self) -> Any:
        """Put a fill on both streams and run the model."""
        for name, stream in self._streams.items():
            self._desk.fill(self._blocks[name], 1, stream)
        return self._model.run()

    def ran(self) -> list[str]:
        """The streams whose fill was done."""
        return [name for name, block in self._blocks.items() if (block.read() == 1).all()]

    def _number(self, number: int) -> Any:
        return self._memory.device(_BYTES).write(number.to_bytes(_BYTES, "little", signed=True))
