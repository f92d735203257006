"""Data buffers and tensor descriptions: making them, and what the getters must tell of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.device import require
from harness.plugin import Block, Case, Expect

Dims = Sequence[int]

INT32, FLOAT = "ACL_INT32", "ACL_FLOAT"
ND, NCHW, NHWC, NC1HWC0 = "ACL_FORMAT_ND", "ACL_FORMAT_NCHW", "ACL_FORMAT_NHWC", "ACL_FORMAT_NC1HWC0"


class Tensors:
    """Makes buffers and descriptions on the surface under test, and judges them."""

    def __init__(self, acl: Any, case: Case, expect: Expect) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect

    # Making

    def buffer(self, block: Block | None, size: int) -> int:
        """A data buffer over a block's memory."""
        made = self._acl.call("aclCreateDataBuffer", data=block, size=size)
        return int(require(made, "making a data buffer").value)

    def updated_buffer(self, first: Block, second: Block, size: int) -> int:
        """A data buffer that was given other memory; made over that at once where there are no updates."""
        if not self._case.supports("aclUpdateDataBuffer"):
            return self.buffer(second, size)
        made = self.buffer(first, first.size)
        updated = self._acl.call("aclUpdateDataBuffer", dataBuffer=made, data=second, size=size)
        require(updated, "updating a data buffer")
        return made

    def desc(self, dims: Dims, dtype: str = FLOAT, layout: str = NCHW) -> int:
        """A description."""
        return int(require(self.create(dims, dtype, layout), "making a tensor description").value)

    def create(self, dims: Dims, dtype: str = FLOAT, layout: str = NCHW) -> Any:
        """The answer to making a description."""
        given = {"dataType": dtype, "numDims": len(dims), "dims": list(dims), "format": layout}
        return self._acl.call("aclCreateTensorDesc", **given)

    def named(self, name: str) -> int:
        """A description with a name."""
        desc = self.desc((2, 3))
        self.needed("aclSetTensorDescName", desc=desc, name=name)
        return desc

    def bounded(self, dims: Dims, bounds: Sequence[Sequence[int]]) -> int:
        """A description whose dims have bounds."""
        desc = self.desc(dims)
        given = [list(pair) for pair in bounds]
        self.needed("aclSetTensorShapeRange", desc=desc, dimsCount=len(given), dimsRange=given)
        return desc

    def needed(self, api: str, **args: Any) -> Any:
        """A call that must succeed."""
        return require(self._acl.call(api, **args), "preparing a tensor")

    def rounds(self, count: int, create: str, destroy: str, name: str, **args: Any) -> list[Any]:
        """The answers to making and destroying an object so many times."""
        results = []
        for _ in range(count):
            made = require(self._acl.call(create, **args), "making an object")
            results.append(self._acl.call(destroy, **{name: made.value}))
        return results

    def settings(self, api: str, desc: int, *settings: dict[str, Any]) -> list[Any]:
        """The answers to making each of these settings of one description, one after the other."""
        return [self._acl.call(api, desc=desc, **given) for given in settings]

    def grouped(self, *names: str) -> list[Any]:
        """The answers to putting a description each into the dynamic inputs of these names."""
        api = "aclSetTensorDynamicInput"
        return [self._acl.call(api, desc=self.desc((2, 3)), dynamicInputName=name) for name in names]

    # Asking

    def address(self, buffer: int) -> int:
        """The address a data buffer tells."""
        return int(self._acl.call("aclGetDataBufferAddr", dataBuffer=buffer).value)

    def size(self, buffer: int) -> int:
        """The size a data buffer tells, in bytes."""
        return int(self._acl.call("aclGetDataBufferSizeV2", dataBuffer=buffer).value)

    def dims(self, desc: int) -> list[int]:
        """The dims a description tells, one by one."""
        count = self._acl.call("aclGetTensorDescNumDims", desc=desc).value
        return [
            self.needed("aclGetTensorDescDimV2", desc=desc, index=index).dimSize for index in range(count)
        ]

    def old_dims(self, desc: int, count: int) -> list[int]:
        """The dims that the older call tells."""
        return [self._acl.call("aclGetTensorDescDim", desc=desc, index=index).value for index in range(count)]

    def bounds(self, desc: int, index: int) -> Any:
        """The answer to asking for a dim's bounds."""
        return self._acl.call("aclGetTensorDescDimRange", desc=desc, index=index, dimRangeNum=2)

    def told(self, api: str, desc: int) -> Any:
        """What a getter without a code tells of a description."""
        return self._acl.call(api, desc=desc).value

    # Judging

    def expect_buffer(self, result: Any, address: int, size: int) -> None:
        """A data buffer was made that tells this address and size, and can be destroyed."""
        self._expect.true("a data buffer is given", bool(result.value))
        self.expect_describes(result.value, address, size)
        self._expect.success(self._acl.call("aclDestroyDataBuffer", dataBuffer=result.value))

    def expect_describes(self, buffer: int, address: int, size: int) -> None:
        """The getters of a data buffer tell this address and size."""
        self._expect.true("the address", self.address(buffer), address)
        self._expect.true("the size", self.size(buffer), size)

    def expect_own_objects(self, results: Sequence[Any], address: int, size: int) -> None:
        """Every call gave an object of its own; one that is destroyed leaves the others readable."""
        handles = [result.value for result in results]
        self._expect.true("different objects", len(set(handles) - {0}), len(results))
        for gone, handle in enumerate(handles):
            for kept in handles[gone:]:
                self.expect_describes(kept, address, size)
            self._expect.success(self._acl.call("aclDestroyDataBuffer", dataBuffer=handle))

    def expect_facts(self, result: Any, dims: Dims, dtype: str, layout: str) -> None:
        """A description was made that tells this type, format and these dims."""
        self._expect.true("a description is given", bool(result.value))
        value, desc = self._case.contract.value, result.value
        self._expect.true("the data type", self.told("aclGetTensorDescType", desc), value(dtype))
        self._expect.true("the format", self.told("aclGetTensorDescFormat", desc), value(layout))
        self._expect.true("the dims", self.dims(desc), list(dims))

    def expect_dims(self, desc: int, dims: Dims) -> None:
        """The description tells these dims."""
        self._expect.true("the dims", self.dims(desc), list(dims))

    def expect_all_bounds(self, desc: int, bounds: Sequence[Sequence[int]]) -> None:
        """Every dim has its bounds."""
        for index, pair in enumerate(bounds):
            result = self._expect.success(self.bounds(desc, index))
            self._expect.true(f"bounds of dim {index}", result.dimRange, list(pair))

    def expect_all_success(self, results: Sequence[Any]) -> None:
        """Every call succeeded."""
        for result in results:
            self._expect.success(result)

    def expect_source_kept(self, result: Any, source: int, dims: Dims) -> None:
        """The source of a conversion has its format and dims; what the conversion has made is destroyed."""
        wanted = self._case.contract.value(NCHW)
        self._expect.true("the format", self.told("aclGetTensorDescFormat", source), wanted)
        self.expect_dims(source, dims)
        if result.ok:
            self._expect.success(self._acl.call("aclDestroyTensorDesc", desc=result.dstDesc))
