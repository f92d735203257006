"""Every finite number of half precision, there and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.plugin import Case

_EVERY = 0x10000
_SPECIAL = 0x7C00
_STEP = 61
_SHOWN = 5


class Halves:
    """Conversions of halves: of all in C, where calls are cheap, and of some where they go through pyACL."""

    def __init__(self, acl: Any, case: Case) -> None:
        finite = [half for half in range(_EVERY) if half & _SPECIAL != _SPECIAL]
        if case.surface == "c":
            raw = case.engine.library.raw
            self._halves = finite
            self._number, self._half = raw("aclFloat16ToFloat"), raw("aclFloatToFloat16")
        else:
            self._halves = finite[::_STEP]
            self._number = lambda half: acl.aclFloat16ToFloat(value=half).value
            self._half = lambda number: acl.aclFloatToFloat16(value=number).value
        self._numbers = [self._number(half) for half in self._halves]

    def wrong_numbers(self) -> list[int]:
        """The first halves whose number is not what numpy makes of them."""
        expected = np.array(self._halves, np.uint16).view(np.float16).astype(np.float32)
        numbers = np.array(self._numbers, np.float32)
        wrong = np.flatnonzero(numbers.view(np.uint32) != expected.view(np.uint32))
        return [self._halves[place] for place in wrong[:_SHOWN]]

    def lost(self) -> list[int]:
        """The first halves that are another one after a way there and back."""
        back = [self._half(number) for number in self._numbers]
        return [half for half, came in zip(self._halves, back, strict=True) if half != came][:_SHOWN]
