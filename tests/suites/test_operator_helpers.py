"""The helpers of the suites of loaded operators: they notice what they must notice."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.contract import load
from harness.device import Profile
from harness.models import Array, program
from suites.operators.loaded import WITH_HANDLE, Job, LoadedOperators, greatest_dims
from tests.fakes.surfaces import Answer, Recording

CONTRACT = load()
EXECUTE, WAIT = "aclopExecuteV2", "aclrtSynchronizeStream"


@dataclass
class Made(Answer):
    """What a call gave that makes a handle."""

    handle: int = 16


class Memory:
    """A block that a run fills with 2.0, unless it is told not to."""

    def __init__(self) -> None:
        self.data: Array = np.zeros(32, np.uint8)

    def fill(self, value: int) -> None:
        self.data[:] = value

    def read(self) -> Array:
        return self.data


class Computing(Recording):
    """A surface whose executions write, on every call but the first ones that are lazy."""

    def __init__(self, memory: Memory, *refusing: str, lazy: int = 0) -> None:
        super().__init__(*refusing)
        self._memory = memory
        self._lazy = lazy

    def call(self, api: str, /, **args: Any) -> Answer:
        if api in (EXECUTE, WITH_HANDLE):
            self._lazy -= 1
            if self._lazy < 0:
                self._memory.data[:] = np.full(8, 2, np.float32).view(np.uint8)
        answer = super().call(api, **args)
        return Made(api, answer.code) if api == "aclopCreateHandle" else answer


def job(memory: Any) -> Job:
    """An addition that has to give 2.0 eight times."""
    wanted = (np.full(8, 2, np.float32),)
    return Job("Add", (1, 2), (3, 4), (5,), (6,), None, (), (memory,), wanted)


def operators(surface: Recording) -> LoadedOperators:
    case: Any = SimpleNamespace(
        engine=SimpleNamespace(c=surface), profile=Profile("910b", "EP", "9.0"), contract=CONTRACT
    )
    resources: Any = SimpleNamespace(memory=lambda: None, stream=lambda: 7)
    return LoadedOperators(case, resources)


def test_right_outputs_are_counted_run_by_run() -> None:
    memory = Memory()
    acl = Computing(memory, lazy=2)
    made = job(memory)
    assert operators(acl).right_results(acl, EXECUTE, made.on(7), made, 5) == 3


@pytest.mark.parametrize("refusing", [EXECUTE, WAIT])
def test_a_refused_run_is_not_right(refusing: str) -> None:
    memory = Memory()
    acl = Computing(memory, refusing)
    assert not operators(acl).works(job(memory))


def test_a_run_that_writes_works() -> None:
    memory = Memory()
    assert operators(Computing(memory)).works(job(memory))


def test_handles_that_come_and_go_are_destroyed() -> None:
    memory = Memory()
    acl = Computing(memory)
    assert operators(acl).handles_come_and_go(acl, job(memory), 7, 3) == 3
    assert [api for api, _ in acl.calls].count("aclopDestroyHandle") == 3


def test_what_becomes_of_a_handle_is_told_in_words() -> None:
    memory = Memory()
    acl = Computing(memory, WITH_HANDLE)
    refused: Any = Answer("aclopCreateHandle", 200001)
    assert operators(acl).outcome_with(acl, refused, job(memory), 7) == "there is no handle"
    assert operators(acl).outcome_with(acl, Made(), job(memory), 7) == "executing: 107000, waiting: 0"


def test_the_greatest_dims_of_a_tensor() -> None:
    where = program("op_where")
    assert greatest_dims(where.outputs[0]) == (8, 1)
    assert greatest_dims(where.inputs[0]) == (8,)
