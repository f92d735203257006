"""What a case holds of objects of the model interface: noted call by call, given back at its end."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.plugin import Case
from suites.books import Books, Debt
from suites.tracked import Tracked


class Ending(NamedTuple):
    """The function that destroys an object, and the parameter that names it."""

    api: str
    name: str


_MADE_BY = {
    "aclCreateDataBuffer": Ending("aclDestroyDataBuffer", "dataBuffer"),
    "aclCreateTensorDesc": Ending("aclDestroyTensorDesc", "desc"),
    "aclmdlCreateDesc": Ending("aclmdlDestroyDesc", "modelDesc"),
    "aclmdlCreateAIPP": Ending("aclmdlDestroyAIPP", "aippParmsSet"),
}
_ENDED_BY = {ending.api: ending.name for ending in _MADE_BY.values()}


class Objects(Books):
    """The objects that live, in the order in which they were made."""

    doing = "giving back what the case has made"

    def __init__(self) -> None:
        super().__init__()
        self._held: dict[int, Ending] = {}

    def __len__(self) -> int:
        return len(self._held)

    def _note(self, api: str, args: dict[str, Any], result: Any) -> None:
        ending = _MADE_BY.get(api)
        if ending is not None and result.value:
            self._held[int(result.value)] = ending
        name = _ENDED_BY.get(api)
        if name is not None and args[name] is not None:
            self._held.pop(operator.index(args[name]), None)

    def _debts(self) -> Iterator[Debt]:
        for thing, ending in reversed(self._held.items()):
            yield ending.api, {ending.name: thing}

    def _forget(self) -> None:
        self._held.clear()


def tracked(case: Case) -> Tracked:
    """The surface of a case, with everything made through it given back at the end of the case.

    What the surface lacks is called in C.
    """
    c, objects = case.engine.c, Objects()
    case.resources.at_end(lambda: objects.give_back(c))
    return Tracked(case.engine.surface(case.surface), c, objects)
