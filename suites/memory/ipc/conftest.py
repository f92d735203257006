"""Fixtures of the suites of memory shared by key."""

from __future__ import annotations

import os
from typing import Any

import pytest

from harness.plugin import Case, Expect
from suites.memory.copy.peers import Peer
from suites.memory.ipc.books import KeyBooks
from suites.memory.ipc.keys import Keys
from suites.tracked import Tracked


@pytest.fixture
def books(case: Case) -> KeyBooks:
    """What the case holds of shared memory; it is given back when the case ends."""
    made = KeyBooks()
    case.resources.at_end(lambda: made.give_back(case.engine.c))
    return made


@pytest.fixture
def acl(case: Case, books: KeyBooks) -> Any:
    """The surface under test; the blocks, keys and imports it takes are given back after the case."""
    return Tracked(case.engine.surface(case.surface), case.engine.c, books)


@pytest.fixture
def keys(acl: Any, books: KeyBooks, case: Case, expect: Expect) -> Keys:
    """Device memory shared by key, with this process and with others."""
    return Keys(acl, books, case, expect)


@pytest.fixture
def peer(case: Case, peer: Peer) -> Peer:
    """The second device; blocked where devices cannot reach each other."""
    case.needs("aclrtDeviceEnablePeerAccess")
    return peer


@pytest.fixture
def process_elsewhere(expect: Expect) -> dict[str, Any]:
    """A process on another server of the superpod, as ACLCTS_OTHER_SERVER names it; blocked without that."""
    server, _, process = os.environ.get("ACLCTS_OTHER_SERVER", "").partition(":")
    if not (server.isdecimal() and process.isdecimal()):
        expect.blocked("no process on a second server: name one with ACLCTS_OTHER_SERVER=SDID:PID")
    return {"sdid": int(server), "pid": [int(process)], "num": 1}
