"""Fixtures of the suites of stream memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.memory.copy.copies import Copies
from suites.memory.stream.contexts import OtherContext
from suites.memory.stream.pool_books import PoolBooks
from suites.memory.stream.pools import Pools
from suites.memory.stream.symbol_copies import SymbolClaims, SymbolCopies
from suites.memory.stream.variables import Variables
from suites.memory.stream.words import Words
from suites.tracked import Tracked


@pytest.fixture
def pool_books(case: Case) -> PoolBooks:
    """What the case holds of memory pools; it is given back when the case ends."""
    made = PoolBooks()
    case.resources.at_end(lambda: made.give_back(case.engine.c))
    return made


@pytest.fixture
def acl(case: Case, pool_books: PoolBooks) -> Any:
    """The surface under test; the pools and blocks it takes are given back after the case."""
    return Tracked(case.engine.surface(case.surface), case.engine.c, pool_books)


@pytest.fixture
def pools(acl: Any, pool_books: PoolBooks, case: Case, memory: Memory, expect: Expect) -> Pools:
    """Stream-ordered memory pools."""
    return Pools(acl, pool_books, case, memory, expect)


@pytest.fixture
def words(acl: Any, case: Case, memory: Memory, expect: Expect) -> Iterator[Words]:
    """Values that streams write and wait for; no stream waits any more when the case ends."""
    made = Words(acl, case, memory, expect)
    yield made
    made.let_go()


@pytest.fixture
def variables(case: Case, memory: Memory) -> Variables:
    """The device variables of a program; blocked where there is none."""
    return Variables(case, memory)


@pytest.fixture
def symbols(
    acl: Any, case: Case, memory: Memory, expect: Expect, variables: Variables, stream: int
) -> SymbolCopies:
    """Copies of device variables; the asynchronous ones go on one stream."""
    copies = Copies(acl, case, memory, expect)
    return SymbolCopies(acl, case, memory, expect, copies, variables, stream)


@pytest.fixture
def symbol_claims(expect: Expect, variables: Variables) -> SymbolClaims:
    """Claims about where device variables are."""
    return SymbolClaims(expect, variables)


@pytest.fixture
def other_context(case: Case) -> Iterator[OtherContext]:
    """A second context of device 0, made but not current."""
    with OtherContext(case) as made:
        yield made
