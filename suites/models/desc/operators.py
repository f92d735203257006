"""Operators that models have run: which task they were, and what is told of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from harness.plugin import Case, Expect
from suites.models.run import Run
from suites.models.shaping import Shaping
from suites.models.workbench import Workbench

NAME_ROOM = 256


@dataclass(frozen=True)
class OperatorTask:
    """The task of a model's operator, as the exception calls name it, and the run it belonged to."""

    stream: int
    task: int
    run: Run

    @property
    def ids(self) -> dict[str, int]:
        """The arguments that name the task."""
        return {"deviceId": 0, "streamId": self.stream, "taskId": self.task}


class Operators:
    """Runs models asynchronously, and asks about their operators on the surface under test."""

    def __init__(self, acl: Any, case: Case, expect: Expect, workbench: Workbench, shaping: Shaping) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._bench = workbench
        self._shaping = shaping

    def launched(self, name: str) -> OperatorTask:
        """The operator of a model that has run on a stream."""
        return self._launch(self._bench.run_of(name))

    def launched_dynamic(self) -> OperatorTask:
        """The operator of a dynamic-shape model that has run on a stream."""
        return self._launch(self._shaping.shaped_run("dynamic", 3))

    def ask(self, task: OperatorTask) -> Any:
        """The answer to asking for the operator of a task; descriptions that come with it are given back."""
        result = self._acl.call("aclmdlCreateAndGetOpDesc", **task.ids, opNameLen=NAME_ROOM)
        if result.ok:
            for desc in filter(None, (result.inputDesc, result.outputDesc)):
                self._case.resources.afterwards("aclDestroyTensorDesc", desc=desc)
        return result

    def needed(self, task: OperatorTask) -> Any:
        """As `ask`; on hardware only exception callbacks are told which tasks a model's operators are."""
        result = self.ask(task)
        if not result.ok and self._case.engine.library.control is None:
            self._expect.blocked("no call tells which tasks the operators of a model are")
        return self._expect.success(result)

    def expect_elements(self, array: int, *facts: tuple[str, tuple[int, ...]]) -> None:
        """The elements of an array are different descriptions of these types and dims."""
        elements = [self._element(array, index) for index in range(len(facts))]
        self._expect.true("different elements", len({*elements} - {0}), len(facts))
        for element, (dtype, dims) in zip(elements, facts, strict=True):
            value = self._case.contract.value(dtype)
            self._expect.true("the data type", self._told("aclGetTensorDescType", element), value)
            self._expect.true("the dims", self._dims(element), dims)

    def expect_addresses(self, result: Any, task: OperatorTask) -> None:
        """Inputs and output of the operator lay where the run had them."""
        elements = [self._element(result.inputDesc, index) for index in range(result.numInputs)]
        told = [self._told("aclGetTensorDescAddress", each) for each in (*elements, result.outputDesc)]
        blocks = (*task.run.input_blocks, *task.run.output_blocks)
        self._expect.true("the addresses", told, [block.ptr for block in blocks])

    def _launch(self, run: Run) -> OperatorTask:
        for api in ("aclmdlExecuteAsync", "aclrtStreamGetId", "aclrtGetThreadLastTaskId"):
            self._case.needs(api)
        stream, call = self._case.resources.stream(), self._bench.call
        call("aclmdlExecuteAsync", **run.datasets, stream=stream)
        task = call("aclrtGetThreadLastTaskId").taskId
        call("aclrtSynchronizeStream", stream=stream)
        return OperatorTask(call("aclrtStreamGetId", stream=stream).streamId, task, run)

    def _element(self, array: int, index: int) -> int:
        return int(self._acl.call("aclGetTensorDescByIndex", desc=array, index=index).value)

    def _told(self, api: str, desc: int) -> int:
        return int(self._acl.call(api, desc=desc).value)

    def _dims(self, desc: int) -> tuple[int, ...]:
        count = self._told("aclGetTensorDescNumDims", desc)
        ask = self._acl.call
        return tuple(ask("aclGetTensorDescDimV2", desc=desc, index=index).dimSize for index in range(count))
