"""What a test may ask for. Everything that costs a call is taken only when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pytest

from harness.binding import Library
from harness.device import require
from harness.plugin.case import Case, Hold, Memory, held
from harness.plugin.derived import RuleCases
from harness.plugin.expect import Expect
from harness.plugin.models import Models
from harness.plugin.phases import JUDGED_RULES_KEY
from harness.plugin.supply import case_life

_GIVEN: dict[str, Callable[[Case], Any]] = {
    "acl": lambda case: case.engine.surface(case.surface),
    "bare": lambda case: case.engine.surface(case.surface),
    "library": lambda case: case.engine.library,
    "expect": lambda case: case.expect,
    "memory": lambda case: case.resources.memory(),
    "models": lambda case: Models(case, case.resources),
    "stream": lambda case: case.resources.stream(),
    "other_stream": lambda case: case.resources.stream(),
    "event": lambda case: case.resources.event(),
    "blocked_stream": lambda case: partial(held, case.resources),
    "afterwards": lambda case: case.resources.afterwards,
}


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    """The case: profile, surface, rules, `supports(api)`; the device is ready, and looked over after."""
    item: Any = request.node
    life = case_life(item, request.param)
    made = next(life)
    if not request.config.getoption("setupshow", False):
        try:
            _give_at_once(item, made)
        except Exception:
            # What the fixtures before the one that failed have taken would count as the next case's.
            made.resources.settle()
            raise
    yield made
    next(life, None)


def _give_at_once(item: Any, case: Case) -> None:
    """Hand the test its fixtures of this file: pytest's way of setting one up costs more than they do."""
    definitions = item._fixtureinfo.name2fixturedefs
    for name in item.fixturenames:
        if name in _GIVEN and definitions[name][-1].func.__module__ == __name__:
            item.funcargs[name] = _given(case, name)


def _given(case: Case, name: str) -> Any:
    """The one object of that name in a case."""
    if name not in case.given:
        case.given[name] = _GIVEN[name](case)
    return case.given[name]


@pytest.fixture
def acl(case: Case) -> Any:
    """The surface under test, initialised, with device 0 set: `acl.aclrtMalloc(size=64, policy=…)`."""
    return _given(case, "acl")


@pytest.fixture
def bare(case: Case) -> Any:
    """The surface under test before aclInit; for tests with @isolated."""
    return _given(case, "bare")


@pytest.fixture
def library(case: Case) -> Library:
    """The library itself: raw functions, types, callbacks, the reference device's controls."""
    return case.engine.library


@pytest.fixture
def expect(case: Case) -> Expect:
    """The claims a test can make about the rules it covers."""
    return case.expect


@pytest.fixture
def memory(case: Case) -> Memory:
    """Blocks of every kind of memory, with guard bands."""
    made: Memory = _given(case, "memory")
    return made


@pytest.fixture
def models(case: Case) -> Models:
    """Model files by name, and what numpy makes of the models."""
    made: Models = _given(case, "models")
    return made


@pytest.fixture
def stream(case: Case) -> int:
    """A stream of device 0."""
    return int(_given(case, "stream"))


@pytest.fixture
def other_stream(case: Case) -> int:
    """A second stream of device 0."""
    return int(_given(case, "other_stream"))


@pytest.fixture
def event(case: Case) -> int:
    """An event."""
    return int(_given(case, "event"))


@pytest.fixture
def blocked_stream(case: Case) -> Callable[[int | None], AbstractContextManager[Hold]]:
    """`with blocked_stream(stream) as hold:` nothing put on it runs until `hold.release()` or the end."""
    return partial(held, case.resources)


@pytest.fixture
def afterwards(case: Case) -> Callable[..., None]:
    """`afterwards("aclrtFree", devPtr=ptr)`: how to give back what the test has made, on the C surface."""
    return case.resources.afterwards


@pytest.fixture
def second_device(case: Case) -> int:
    """The number of a second device; blocked where there is none."""
    call = case.engine.c.call
    if int(require(call("aclrtGetDeviceCount"), "counting devices").count) < 2:
        case.expect.blocked("there is no second device")
    return 1


@pytest.fixture
def each_rule(request: pytest.FixtureRequest, case: Case, subtests: pytest.Subtests) -> Iterator[RuleCases]:
    """The rules of a test with @covers_rules, to be judged one by one."""
    made = RuleCases(case, subtests, request.node.stash.get(JUDGED_RULES_KEY, None), request.node)
    yield made
    made.close()
