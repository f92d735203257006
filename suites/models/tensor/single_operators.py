"""Single operators: what executing one shows of its tensors' descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.device import require
from harness.plugin import Block, Case, Expect, Memory
from suites.models.tensor.tensors import FLOAT, ND, Tensors

EXECUTE = "aclopCompileAndExecuteV2"
COUNT = 4
"""Elements of every tensor here."""


class SingleOperators:
    """Compiles and executes operators on vectors of floats."""

    def __init__(self, acl: Any, case: Case, expect: Expect, memory: Memory, tensors: Tensors) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._memory = memory
        self._tensors = tensors

    def vector(self, value: float) -> Block:
        """A vector of equal numbers on the device."""
        return self._memory.device(4 * COUNT).write(np.full(COUNT, value, np.float32))

    def desc(self, group: str = "") -> int:
        """The description of a vector, in a dynamic input where a group is named."""
        desc = self._tensors.desc((COUNT,), FLOAT, ND)
        if group:
            self._tensors.needed("aclSetTensorDynamicInput", desc=desc, dynamicInputName=group)
        return desc

    def constant(self, value: float) -> tuple[int, Block]:
        """The description of a constant vector, and the memory it was taken from."""
        kind = self._memory.device if self._case.shares_memory else self._memory.host
        desc, block = self.desc(), kind(4 * COUNT).write(np.full(COUNT, value, np.float32))
        self._tensors.needed("aclSetTensorConst", desc=desc, dataBuffer=block, length=block.size)
        return desc, block

    def execute(self, operator: str, descs: Sequence[int], blocks: Sequence[Block]) -> tuple[Any, Block]:
        """The answer to executing an operator with one output, and the output's memory."""
        if not self._acl.has(EXECUTE):
            self._expect.blocked(f"the library has no single operators: {EXECUTE} is not exported")
        self._case.needs(EXECUTE)
        stream, output = self._case.resources.stream(), self.vector(0)
        result = self._acl.call(
            EXECUTE,
            opType=operator,
            numInputs=len(descs),
            inputDesc=list(descs),
            inputs=[self._tensors.buffer(block, block.size) for block in blocks],
            numOutputs=1,
            outputDesc=[self.desc()],
            outputs=[self._tensors.buffer(output, output.size)],
            attr=None,
            engineType="ACL_ENGINE_SYS",
            compileFlag="ACL_COMPILE_SYS",
            opPath=None,
            stream=stream,
        )
        waited = self._case.engine.c.call("aclrtSynchronizeStream", stream=stream)
        require(waited, "waiting for the operator")
        return result, output
