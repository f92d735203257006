"""Fixtures of the suites of the services."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.plugin import Case, Expect, Memory
from suites.services.buffers import Buffers
from suites.services.bystander import Bystander
from suites.services.channels import Channels
from suites.services.collecting import MARKERS, Collection, Session
from suites.services.dumping import Dumping
from suites.services.folders import fresh_folder
from suites.services.log import Log
from suites.services.objects import Objects, tracked
from suites.services.queues import Queues
from suites.services.snapshot_functions import SnapshotFunctions
from suites.services.snapshots import Snapshots
from suites.services.steps import Steps
from suites.services.tensors import Tensors


@pytest.fixture
def objects() -> Objects:
    """What the case holds of objects of the services."""
    return Objects()


@pytest.fixture
def acl(case: Case, objects: Objects) -> Any:
    """The surface under test; the objects it makes are given back after the case."""
    return tracked(case, objects)


@pytest.fixture
def tensors(acl: Any, case: Case, memory: Memory) -> Tensors:
    """Items and datasets."""
    return Tensors(acl, case, memory)


@pytest.fixture
def channels(acl: Any, tensors: Tensors, case: Case) -> Channels:
    """Tensor channels."""
    return Channels(acl, tensors, case)


@pytest.fixture
def queues(acl: Any, case: Case, expect: Expect, memory: Memory) -> Queues:
    """Message queues and their routes."""
    return Queues(acl, case, expect, memory)


@pytest.fixture
def buffers(acl: Any, objects: Objects, expect: Expect, memory: Memory) -> Buffers:
    """Shared buffers."""
    return Buffers(acl, objects, expect, memory)


@pytest.fixture
def folder(case: Case) -> Path:
    """An empty folder, which goes with the case."""
    return fresh_folder(case.resources)


@pytest.fixture
def dumping(acl: Any, case: Case) -> Dumping:
    """Data dump, initialised."""
    return Dumping(acl, case)


@pytest.fixture
def session(acl: Any, case: Case) -> Session:
    """Profiling, not initialised yet."""
    return Session(acl, case)


@pytest.fixture
def marking(case: Case) -> Collection:
    """A collection with markers that runs."""
    return Collection(case, case.resources, MARKERS)


@pytest.fixture
def steps(acl: Any) -> Steps:
    """Step objects."""
    return Steps(acl)


@pytest.fixture
def snapshots(acl: Any, case: Case) -> Snapshots:
    """Snapshots of this process."""
    return Snapshots(acl, case.resources)


@pytest.fixture
def told(acl: Any, case: Case) -> SnapshotFunctions:
    """Functions that are told of the steps of a snapshot."""
    return SnapshotFunctions(acl, case)


@pytest.fixture
def bystander(case: Case) -> Iterator[Bystander]:
    """Another thread, which waits to make a runtime call."""
    made = Bystander(case.engine.c)
    yield made
    made.leave()


@pytest.fixture
def log(acl: Any, case: Case) -> Log:
    """A program's own lines in the log."""
    return Log(acl, case)
