"""Every finite number of half precision, there and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.plugin import Case

_EVERY = 0x10000
_SPECIAL = 0x7C00
_STEP_BY_SURFACE = 997
_SHOWN = 5


class Halves:
    """Conversions of halves: of all in C, where calls are cheap, and of some on the surface under test."""

    def __init__(self, acl: Any, case: Case) -> None:
        self._acl = acl
        raw = case.engine.library.raw
        self._number, self._half = raw("aclFloat16ToFloat"), raw("aclFloatToFloat16")
        self._finite = [half for half in range(_EVERY) if half & _SPECIAL != _SPECIAL]

    def wrong_numbers(self) -> list[int]:
        """The first halves whose number is not what numpy makes of them."""
        expected = np.array(self._finite, np.uint16).view(np.float16).astype(np.float32)
        numbers = np.array([self._number(half) for half in self._finite], np.float32)
        wrong = np.flatnonzero(numbers.view(np.uint32) != expected.view(np.uint32))
        return [self._finite[place] for place in wrong[:_SHOWN]]

    def lost(self) -> list[int]:
        """The first halves that are another one after a way there and back."""
        lost = [half for half in self._finite if self._half(self._number(half)) != half]
        return lost[:_SHOWN] + [half for half in self._finite[::_STEP_BY_SURFACE] if self._back(half) != half]

    def _back(self, half: int) -> int:
        number = self._acl.aclFloat16ToFloat(value=half).value
        return int(self._acl.aclFloatToFloat16(value=number).value)
