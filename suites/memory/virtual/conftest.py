"""Fixtures of the virtual memory suites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.memory.copy.copies import Copies
from suites.memory.copy.peers import Peer
from suites.memory.virtual.peer_memory import PeerMemory
from suites.memory.virtual.sharing import Peers, Sharing
from suites.memory.virtual.virtual_memory import VirtualMemory


@pytest.fixture
def vm(case: Case, expect: Expect) -> VirtualMemory:
    """Ranges, physical memory and mappings, and claims about them; all of it is given back after the case."""
    return VirtualMemory(case.engine.surface(case.surface), case, expect)


@pytest.fixture
def acl(vm: VirtualMemory) -> Any:
    """The surface under test; what it takes of virtual memory is given back after the case."""
    return vm.tracked


@pytest.fixture
def copies(acl: Any, case: Case, memory: Memory, expect: Expect) -> Copies:
    """Linear copies between blocks of any kind of memory."""
    return Copies(acl, case, memory, expect)


@pytest.fixture
def peer(case: Case, peer: Peer) -> Peer:
    """The second device; blocked where devices cannot reach each other."""
    case.needs("aclrtDeviceEnablePeerAccess")
    return peer


@pytest.fixture
def peer_vm(peer: Peer, expect: Expect) -> Iterator[PeerMemory]:
    """Virtual memory made and reached with the second device current."""
    with PeerMemory(peer, expect) as made:
        yield made


@pytest.fixture
def sharing(acl: Any, case: Case, vm: VirtualMemory, memory: Memory, expect: Expect) -> Sharing:
    """Memory shared with other processes, which end with the case."""
    return Sharing(acl, case, vm, memory, expect, Peers(case, case.resources.at_end, case.surface))
