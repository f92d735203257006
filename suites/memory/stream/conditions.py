"""When aclrtValueWait lets a stream go on: for every mode, words that do and words that do not."""

from __future__ import annotations

from typing import NamedTuple

GEQ, EQ, AND, NOR = (f"ACL_STREAM_WAIT_VALUE_{mode}" for mode in ("GEQ", "EQ", "AND", "NOR"))

ONES = 2**64 - 1
HIGH = 2**63
"""The highest bit alone: the smallest number of 64 bits with a sign."""

LOW_HALF = 2**32 - 1
HIGH_HALF = ONES - LOW_HALF


class Condition(NamedTuple):
    """A word in memory and the value it is compared with.

    `then` is what the word must become to let the stream go on; None where it goes on at once.
    """

    memory: int
    value: int
    then: int | None = None

    def __str__(self) -> str:
        return f"memory {self.memory:#x} and value {self.value:#x}"


AT_LEAST = (
    Condition(5, 5),
    Condition(5, 4),
    Condition(HIGH, HIGH - 1),
    Condition(0, ONES),
    Condition(2**32, LOW_HALF),
    Condition(HIGH - 1, 0),
    Condition(5, 6, then=6),
    Condition(ONES, 0, then=0),
    Condition(HIGH - 1, HIGH, then=HIGH),
    Condition(2**32, 2**32 + 1, then=2**32 + 1),
    Condition(0, HIGH, then=HIGH),
    Condition(0, 2**62, then=HIGH - 1),
)
"""The difference of word and value, as a number with a sign, is 0 or more."""

EQUAL = (
    Condition(7, 7),
    Condition(0, 0),
    Condition(ONES, ONES),
    Condition(7, 8, then=8),
    Condition(8, 7, then=7),
    Condition(0b1010, 0b0010, then=0b0010),
    Condition(ONES, 0, then=0),
)
"""Word and value are the same."""

ANY_BIT = (
    Condition(0b1010, 0b0010),
    Condition(0b1010, 0b0110),
    Condition(1, 3),
    Condition(ONES, 1),
    Condition(HIGH, HIGH),
    Condition(0b1010, 0b0101, then=0b0100),
    Condition(5, 2, then=2),
    Condition(0, ONES, then=HIGH),
    Condition(HIGH - 1, HIGH, then=ONES),
)
"""Word and value have a bit in common."""

ANY_GAP = (
    Condition(0, 0),
    Condition(1, 2),
    Condition(ONES - 1, 0),
    Condition(HIGH - 1, 0),
    Condition(0, ONES - 1),
    Condition(ONES, 0, then=ONES - 1),
    Condition(ONES - 1, 1, then=ONES - 3),
    Condition(ONES, 2**40, then=ONES - 1),
    Condition(HIGH - 1, HIGH, then=0),
)
"""There is a bit that neither word nor value has."""

LATER = {
    GEQ: (7, Condition(6, 7, then=7)),
    EQ: (7, Condition(8, 7, then=7)),
    AND: (0b110, Condition(0b101, 0b010, then=0b010)),
    NOR: (0, Condition(ONES, 1, then=ONES - 2)),
}
"""By mode, a word for which a condition holds, and the condition with a later word for which it does not."""

SHARED = {
    GEQ: (Condition(0, 3, then=3), Condition(0, 5, then=5)),
    EQ: (Condition(0, 3, then=3), Condition(0, 5, then=5)),
    AND: (Condition(0, 0b01, then=0b01), Condition(0, 0b10, then=0b10)),
    NOR: (Condition(ONES, 0b10, then=ONES - 0b01), Condition(ONES, 0b01, then=ONES - 0b10)),
}
"""By mode, two conditions on one word: what lets the first go on does not let the second."""

BY_ONE_HALF = {
    GEQ: (
        Condition(2**33, 2**32 + 1),
        Condition(2**32 + 1, 2**33, then=2**33),
        Condition(2**32 + 1, 2**32 + 2, then=2**32 + 2),
    ),
    EQ: (
        Condition(2**32, 2**32),
        Condition(2**32, 0, then=0),
        Condition(0, 2**32, then=2**32),
        Condition(HIGH, 0, then=0),
        Condition(ONES, LOW_HALF, then=LOW_HALF),
        Condition(2**32 + 1, 2**32 + 2, then=2**32 + 2),
    ),
    AND: (
        Condition(2**32, 2**32),
        Condition(2**40 + 1, 2**40 + 2),
        Condition(2**40 + 1, 2**41 + 1),
        Condition(2**32, 1, then=1),
        Condition(1, 2**32, then=2**32 + 1),
    ),
    NOR: (
        Condition(LOW_HALF, 0),
        Condition(HIGH_HALF, 0),
        Condition(LOW_HALF, HIGH_HALF, then=LOW_HALF - 1),
        Condition(HIGH_HALF, LOW_HALF, then=HIGH_HALF - 2**32),
    ),
}
"""Conditions, by mode, that hold or not by the upper or the lower 32 bits alone."""
