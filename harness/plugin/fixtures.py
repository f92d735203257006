"""What a test may ask for. Everything that costs a call is taken only when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from harness.binding import Library
from harness.device import require
from harness.plugin.case import Case, Hold, Memory, held, tidy
from harness.plugin.derived import RuleCases
from harness.plugin.expect import Expect
from harness.plugin.protocol import CASE_KEY, JUDGED_RULES_KEY, engine_of
from harness.plugin.settings import settings_of


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    """The case: profile, surface, rules, `supports(api)`; the device is ready, and is looked over
    afterwards.
    """
    item: pytest.Item = request.node
    engine = engine_of(request.config)
    cell = request.param
    if "bare" in request.fixturenames:
        engine.configure(cell.profile)
    else:
        engine.enter(cell.profile)
    made = Case(cell, engine, settings_of(request.config).again(request.config, [item.nodeid]))
    item.stash[CASE_KEY] = made
    yield made
    tidy(made, made.resources)


@pytest.fixture
def acl(case: Case) -> Any:
    """The surface under test, initialised, with device 0 set: `acl.aclrtMalloc(size=64, policy=…)`."""
    return case.engine.surface(case.surface)


@pytest.fixture
def bare(case: Case) -> Any:
    """The surface under test before aclInit; for tests with @isolated."""
    return case.engine.surface(case.surface)


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
    return case.resources.memory()


@pytest.fixture
def stream(case: Case) -> int:
    """A stream of device 0."""
    return case.resources.stream()


@pytest.fixture
def other_stream(case: Case) -> int:
    """A second stream of device 0."""
    return case.resources.stream()


@pytest.fixture
def event(case: Case) -> int:
    """An event."""
    return case.resources.event()


@pytest.fixture
def blocked_stream(case: Case) -> Callable[[int | None], AbstractContextManager[Hold]]:
    """`with blocked_stream(stream) as hold:` nothing put on the stream runs until `hold.release()` or the
    end.
    """
    return lambda stream: held(case.resources, stream)


@pytest.fixture
def afterwards(case: Case) -> Callable[..., None]:
    """`afterwards("aclrtFree", devPtr=ptr)`: a call of the C surface that gives back what the test has
    made.
    """
    return case.resources.afterwards


@pytest.fixture
def second_device(case: Case) -> int:
    """The number of a second device, with access to its memory enabled where the product knows peers."""
    call = case.engine.c.call
    if int(require(call("aclrtGetDeviceCount"), "counting devices").count) < 2:
        case.expect.blocked("there is no second device")
    return 1


@pytest.fixture
def each_rule(request: pytest.FixtureRequest, case: Case, subtests: pytest.Subtests) -> RuleCases:
    """The rules of a test with @covers_rules, to be judged one by one."""
    return RuleCases(case, subtests, request.node.stash.get(JUDGED_RULES_KEY, None), request.node)
