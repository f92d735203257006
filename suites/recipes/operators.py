"""Valid calls of single operators: their attributes."""

from __future__ import annotations

from collections.abc import Callable

from suites.operators.attributes import NAME, VALUES, values_for
from suites.recipes import Bench, Call, recipe
from suites.services.objects import Objects


def _made(bench: Bench) -> tuple[int, Objects]:
    """An attribute set, where the product has such; it goes at the end."""
    objects = Objects()
    bench.at_end(lambda: objects.give_back(bench.case.engine.c))
    if not bench.case.supports("aclopCreateAttr"):
        return bench.memory.pageable(4096).fill(0).ptr, objects
    made = bench.call("aclopCreateAttr")
    objects.note("aclopCreateAttr", {}, made)
    return int(made.value), objects


@recipe("aclopCreateAttr")
def create_attributes(bench: Bench) -> Call:
    """Nothing."""
    objects = Objects()
    bench.at_end(lambda: objects.give_back(bench.case.engine.c))
    return Call({}, undo=lambda result: objects.note("aclopCreateAttr", {}, result))


@recipe("aclopDestroyAttr")
def destroy_attributes(bench: Bench) -> Call:
    """An empty set."""
    made, objects = _made(bench)
    args = {"attr": made}
    return Call(args, undo=lambda result: objects.note("aclopDestroyAttr", args, result))


def _setting(api: str) -> Callable[[Bench], Call]:
    """The last of the values that a function must take."""

    def make(bench: Bench) -> Call:
        values = values_for(bench.case.surface, VALUES[api][-1])
        return Call({"attr": _made(bench)[0], "attrName": NAME, **values})

    return make


for _api in VALUES:
    recipe(_api)(_setting(_api))
