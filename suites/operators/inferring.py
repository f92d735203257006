"""Questions for the shapes of an operator's outputs: inputs where a product wants them, and the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from harness.binding import Result
from harness.device import require
from harness.models import Array
from harness.plugin import Block, Case, Resources

UNDEFINED = "ACL_DT_UNDEFINED"
ND = "ACL_FORMAT_ND"

_NO_OBJECT_BYTES = 4096
_TYPES: Mapping[str, str] = {"float32": "ACL_FLOAT", "int64": "ACL_INT64"}


class Inferring:
    """Asks for output shapes; descriptions and buffers go at the end."""

    def __init__(self, acl: Any, case: Case, resources: Resources) -> None:
        self._acl = acl
        self._case = case
        self._resources = resources

    def question(
        self, type: str, *inputs: Array, names: Sequence[str] = (), attributes: int | None = None
    ) -> dict[str, Any]:
        """The arguments of a call that asks for the shape of one output; `names` are those of the inputs and
        of the output.
        """
        descs = [self._desc(_TYPES[each.dtype.name], each.shape) for each in inputs]
        output = self._desc(UNDEFINED, ())
        for desc, name in zip([*descs, output], names, strict=False):
            self._made("aclSetTensorDescName", desc=desc, name=name)
        return {
            "opType": type,
            "numInputs": len(inputs),
            "inputDesc": descs,
            "inputs": [self.buffer(self._placed(each)) for each in inputs],
            "numOutputs": 1,
            "outputDesc": [output],
            "attr": attributes,
        }

    def numbers(self, *dims: int) -> Array:
        """Some floats."""
        return np.arange(np.prod(dims), dtype=np.float32).reshape(dims)

    def buffer(self, block: Block | None) -> int:
        """A data buffer of a block, or of nothing."""
        size = 0 if block is None else block.size
        made = int(self._made("aclCreateDataBuffer", data=block, size=size).value)
        self._resources.afterwards("aclDestroyDataBuffer", dataBuffer=made)
        return made

    def dims(self, question: dict[str, Any]) -> list[int]:
        """The dims that the output's description has."""
        (desc,) = question["outputDesc"]
        count = int(self._acl.call("aclGetTensorDescNumDims", desc=desc).value)
        asked = [self._acl.call("aclGetTensorDescDimV2", desc=desc, index=index) for index in range(count)]
        return [int(require(each, "reading a dim").dimSize) for each in asked]

    def bounds(self, question: dict[str, Any], index: int) -> Result:
        """The answer to asking for the range of one dim of the output."""
        (desc,) = question["outputDesc"]
        result: Result = self._acl.call("aclGetTensorDescDimRange", desc=desc, index=index, dimRangeNum=2)
        return result

    def takes_counts_up_to(self, answer: Result, most: int) -> bool:
        """Whether a range has been told that begins at 0 or 1 and ends at `most`, or is open."""
        if not answer.ok:
            return False
        first, last = answer.dimRange
        return first in (0, 1) and last in (most, -1)

    def _placed(self, data: Array) -> Block:
        """Input data on the host, or on the device where host and device are one."""
        memory = self._resources.memory()
        block = (
            memory.pageable(data.nbytes) if self._case.profile.form == "EP" else memory.device(data.nbytes)
        )
        return block.write(data)

    def _desc(self, type: str, dims: Sequence[int]) -> int:
        """A description; other memory in its place where the product has none."""
        if not self._case.supports("aclCreateTensorDesc"):
            return self._resources.memory().pageable(_NO_OBJECT_BYTES).fill(0).ptr
        given = {"dataType": type, "numDims": len(dims), "dims": list(dims), "format": ND}
        made = int(self._made("aclCreateTensorDesc", **given).value)
        self._resources.afterwards("aclDestroyTensorDesc", desc=made)
        return made

    def _made(self, api: str, **args: Any) -> Result:
        return require(self._case.engine.c.call(api, **args), "preparing a question about shapes")
