"""So many objects of one kind that the device has no more of them."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

from harness.plugin import Case

MOST_EVENTS = {"310p": 1023, "910": 65535}
"""Events of a device where there are not 65536."""

_BY_SURFACE = 100
_STUCK_S = 5.0
_POLL_S = 0.05


def most_events(case: Case) -> int:
    """How many events a device of the product has."""
    return MOST_EVENTS.get(case.profile.product, 65536)


class Crowd:
    """Objects that one function makes and another destroys.

    Most calls go to C directly, without arguments being looked at or noted: there are tens of thousands.
    """

    def __init__(self, case: Case, make: str, output: str, destroy: str, **args: Any) -> None:
        library = case.engine.library
        self._acl = case.engine.surface(case.surface)
        self._make, self._output, self._args = make, output, args
        self._names = [name for name, _ in library.params(make)]
        self._raw_make, self._raw_destroy = library.raw(make), library.raw(destroy)
        self._raw: Callable[[str], Any] = library.raw
        self.handles: list[int] = []
        """What has been made."""
        case.resources.at_end(self.end)

    def fill(self, count: int) -> int:
        """Make objects until there are so many, or until one is refused or not given; how many there are."""
        place = ctypes.c_void_p()
        given = [ctypes.byref(place) if name == self._output else self._args[name] for name in self._names]
        while len(self.handles) < count and self._raw_make(*given) == 0 and place.value:
            self.handles.append(place.value)
            place.value = None
        return len(self.handles)

    def one_more(self) -> Any:
        """The answer of the surface under test to making another one."""
        result = self._acl.call(self._make, **self._args)
        if result.ok:
            self.handles.append(int(getattr(result, self._output)))
        return result

    def until_refused(self, most: int) -> Any:
        """The first refusal by the surface under test, or its answer after `most` and one more."""
        self.fill(most - _BY_SURFACE)
        result = self.one_more()
        while result.ok and len(self.handles) <= most:
            result = self.one_more()
        return result

    def give_back_one(self) -> None:
        """Destroy one of them."""
        self._raw_destroy(self.handles.pop())

    def recorded(self, stream: int, context: int) -> str:
        """Record each of them, which are events, until a record is refused or does not come back; how many
        that were, in words.
        """
        record, enter = self._raw("aclrtRecordEvent"), self._raw("aclrtSetCurrentContext")
        codes: list[int] = []

        def work() -> None:
            enter(context)
            for handle in self.handles:
                codes.append(record(handle, stream))
                if codes[-1] != 0:
                    return

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        seen, since = 0, time.monotonic()
        while worker.is_alive() and time.monotonic() - since < _STUCK_S:
            worker.join(_POLL_S)
            if len(codes) > seen:
                seen, since = len(codes), time.monotonic()
        done = codes.count(0)
        if worker.is_alive():
            return f"{done} events recorded, the next record does not come back"
        return f"{done} events recorded" + (f", then {codes[-1]}" if done < len(codes) else "")

    def end(self) -> None:
        """Destroy all of them."""
        while self.handles:
            self.give_back_one()
