"""Items and datasets of the tensor channels."""

from __future__ import annotations

from typing import Any

from harness.device import Block, require
from harness.plugin import Case, Memory, pattern
from suites.services.host_bytes import bytes_at

TENSOR, END_OF_SEQUENCE = "ACL_TENSOR_DATA_TENSOR", "ACL_TENSOR_DATA_END_OF_SEQUENCE"
DIMS = (2, 3)
BYTES = 24
"""Bytes of 2 x 3 floats."""


class Tensors:
    """Makes items and datasets, and reads them back."""

    def __init__(self, acl: Any, case: Case, memory: Memory) -> None:
        self._acl = acl
        self._expect = case.expect
        self._memory = memory
        self._value = case.contract.value

    def data(self, seed: int = 1) -> Block:
        """The bytes of a tensor, in host memory."""
        return self._memory.pageable(BYTES).write(pattern(BYTES, seed))

    def item(self, data: Block | None = None, type: str = TENSOR) -> int:
        """An item of 2 x 3 floats; without data one that only marks an end."""
        given: dict[str, Any] = (
            {"dims": None, "dimNum": 0, "data": None, "size": 0}
            if data is None
            else {"dims": list(DIMS), "dimNum": len(DIMS), "data": data, "size": BYTES}
        )
        made = self._acl.call("acltdtCreateDataItem", tdtType=type, dataType="ACL_FLOAT", **given)
        return int(require(made, "making an item").value)

    def end(self) -> int:
        """An item that only marks the end of a sequence."""
        return self.item(type=END_OF_SEQUENCE)

    def dataset(self, *items: int) -> int:
        """A dataset of these items."""
        made = int(require(self._acl.call("acltdtCreateDataset"), "making a dataset").value)
        for item in items:
            require(self._acl.call("acltdtAddDataItem", dataset=made, dataItem=item), "filling a dataset")
        return made

    def one(self, seed: int = 1) -> int:
        """A dataset of one tensor."""
        return self.dataset(self.item(self.data(seed)))

    def items_of(self, dataset: int, count: int) -> list[int]:
        """The items of a dataset, by their places."""
        return [
            int(self._acl.call("acltdtGetDataItem", dataset=dataset, index=index).value)
            for index in range(count)
        ]

    def expect_tensor(self, item: int, seed: int) -> None:
        """The item is a tensor of 2 x 3 floats with the bytes of this seed."""
        expect, ask = self._expect, self._asked
        expect.true("type of the item", ask("acltdtGetTensorTypeFromItem", item), self._value(TENSOR))
        expect.true("type of its elements", ask("acltdtGetDataTypeFromItem", item), self._value("ACL_FLOAT"))
        expect.true("number of dims", ask("acltdtGetDimNumFromItem", item), len(DIMS))
        expect.true("dims", self.dims_of(item), list(DIMS))
        expect.true("size of its data", ask("acltdtGetDataSizeFromItem", item), BYTES)
        expect.data(self.bytes_of(item), pattern(BYTES, seed), "the tensor's data")

    def dims_of(self, item: int) -> list[int]:
        """The dims of a tensor item."""
        room = self._memory.pageable(8 * len(DIMS))
        answer = self._acl.call("acltdtGetDimsFromItem", dataItem=item, dims=room, dimNum=len(DIMS))
        require(answer, "reading dims")
        return [int(value) for value in room.read().view("<i8")]

    def address_of(self, item: int) -> int:
        """Where the data of an item lie."""
        return int(self._asked("acltdtGetDataAddrFromItem", item))

    def bytes_of(self, item: int) -> Any:
        """The data of an item of 24 bytes in host memory."""
        return bytes_at(self.address_of(item), BYTES)

    def _asked(self, api: str, item: int) -> Any:
        return self._acl.call(api, dataItem=item).value
