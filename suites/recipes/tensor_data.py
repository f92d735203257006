"""Valid calls of data buffers and tensor descriptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from suites.models.objects import Objects
from suites.recipes import Bench, Call, recipe
from suites.tracked import Tracked

SIZE = 64
INT32, NHWC, NC1HWC0 = "ACL_INT32", "ACL_FORMAT_NHWC", "ACL_FORMAT_NC1HWC0"
BOUNDS = [[16, 16], [1, 128]]

Telling = Callable[[Any], bool]


class Parts:
    """Buffers and descriptions for one call: what the recipe and the call make is given back.

    What the product does not support is tried all the same: where it works, so may the call under test.
    """

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._objects = Objects()
        c = bench.case.engine.c
        self.c = Tracked(c, c, self._objects)
        bench.at_end(lambda: self._objects.give_back(c))

    def call(
        self, api: str, args: dict[str, Any], worked: Telling | None = None, control: bool = True
    ) -> Call:
        """A call whose effects are taken down and undone."""
        call = Call(args, worked=worked, control=control)
        call.undo = lambda result: self._objects.note(api, call.args, result)
        return call

    def buffer(self) -> int:
        """A data buffer over 64 bytes of device memory."""
        return self.made("aclCreateDataBuffer", data=self.bench.memory.device(SIZE).ptr, size=SIZE)

    def desc(self, dims: Sequence[int] = (2, 3)) -> int:
        """A description of 32-bit numbers in NHWC."""
        given = {"dataType": INT32, "numDims": len(dims), "dims": list(dims), "format": NHWC}
        return self.made("aclCreateTensorDesc", **given)

    def set(self, api: str, **args: Any) -> bool:
        """Whether a setting of the recipe's own is accepted; it has to be where the product supports it."""
        result = self.c.call(api, **args)
        assert result.ok or not self.bench.case.supports(api), f"{api} returned {result.name}"
        return bool(result.ok)

    def made(self, api: str, **args: Any) -> int:
        """An object that a function gives back; some memory where the product need not make it."""
        made = int(self.c.call(api, **args).value)
        assert made or not self.bench.case.supports(api), f"{api} gave nothing"
        return made or self.bench.memory.pageable(4096).fill(0).ptr


def gives(wanted: Any) -> Telling:
    """The function gives this back."""
    return lambda result: bool(result.value == wanted)


def _anything(result: Any) -> bool:
    return bool(result.value)


@recipe("aclCreateDataBuffer")
def create_data_buffer(bench: Bench) -> Call:
    """64 bytes of device memory."""
    return Parts(bench).call("aclCreateDataBuffer", {"data": bench.memory.device(SIZE), "size": SIZE})


@recipe("aclDestroyDataBuffer")
def destroy_data_buffer(bench: Bench) -> Call:
    """A fresh data buffer."""
    parts = Parts(bench)
    return parts.call("aclDestroyDataBuffer", {"dataBuffer": parts.buffer()})


@recipe("aclUpdateDataBuffer")
def update_data_buffer(bench: Bench) -> Call:
    """Other memory of another size."""
    args = {"dataBuffer": Parts(bench).buffer(), "data": bench.memory.device(2 * SIZE), "size": 2 * SIZE}
    return Call(args)


@recipe("aclGetDataBufferAddr")
def get_data_buffer_addr(bench: Bench) -> Call:
    """A fresh data buffer."""
    return Call({"dataBuffer": Parts(bench).buffer()}, worked=_anything)


@recipe("aclGetDataBufferSize", "aclGetDataBufferSizeV2")
def get_data_buffer_size(bench: Bench) -> Call:
    """A fresh data buffer."""
    return Call({"dataBuffer": Parts(bench).buffer()}, worked=gives(SIZE))


@recipe("aclCreateTensorDesc")
def create_tensor_desc(bench: Bench) -> Call:
    """2 x 3 numbers."""
    args = {"dataType": INT32, "numDims": 2, "dims": [2, 3], "format": NHWC}
    return Parts(bench).call("aclCreateTensorDesc", args)


@recipe("aclDestroyTensorDesc")
def destroy_tensor_desc(bench: Bench) -> Call:
    """A fresh description."""
    parts = Parts(bench)
    return parts.call("aclDestroyTensorDesc", {"desc": parts.desc()})


_QUERIES: Mapping[str, Telling] = {
    "aclGetTensorDescType": gives(3),
    "aclGetTensorDescFormat": gives(1),
    "aclGetTensorDescNumDims": gives(2),
    "aclGetTensorDescElementCount": gives(6),
    "aclGetTensorDescSize": gives(24),
}


def _query(worked: Telling) -> Callable[[Bench], Call]:
    """A question about 2 x 3 numbers."""
    return lambda bench: Call({"desc": Parts(bench).desc()}, worked=worked)


for _api, _worked in _QUERIES.items():
    recipe(_api)(_query(_worked))


@recipe("aclGetTensorDescName")
def get_name(bench: Bench) -> Call:
    """A description with a name."""
    parts = Parts(bench)
    desc = parts.desc()
    parts.set("aclSetTensorDescName", desc=desc, name="x")
    return Call({"desc": desc}, worked=gives(b"x"))


@recipe("aclGetTensorDescAddress")
def get_address(bench: Bench) -> Call:
    """A description that has no address."""
    return Call({"desc": Parts(bench).desc()}, control=False)


@recipe("aclGetTensorDescByIndex")
def get_by_index(bench: Bench) -> Call:
    """The first element of a single description."""
    return Call({"desc": Parts(bench).desc(), "index": 0}, control=False)


@recipe("aclGetTensorDescDimV2")
def get_dim_v2(bench: Bench) -> Call:
    """The last dim of two."""
    return Call({"desc": Parts(bench).desc(), "index": 1})


@recipe("aclGetTensorDescDim")
def get_dim(bench: Bench) -> Call:
    """The last dim of two."""
    return Call({"desc": Parts(bench).desc(), "index": 1}, worked=gives(3))


@recipe("aclGetTensorDescDimRange")
def get_dim_range(bench: Bench) -> Call:
    """The bounds of the first dim of two."""
    parts = Parts(bench)
    desc = parts.desc((16, -1))
    parts.set("aclSetTensorShapeRange", desc=desc, dimsCount=2, dimsRange=BOUNDS)
    return Call({"desc": desc, "index": 0, "dimRangeNum": 2})


@recipe("aclSetTensorDescName")
def set_name(bench: Bench) -> Call:
    """A short name."""
    parts = Parts(bench)
    desc = parts.desc()

    def named(result: Any) -> bool:
        return bool(parts.c.call("aclGetTensorDescName", desc=desc).value == b"x")

    return Call({"desc": desc, "name": "x"}, worked=named)


@recipe("aclSetTensorFormat", "aclSetTensorStorageFormat", "aclSetTensorOriginFormat")
def set_format(bench: Bench) -> Call:
    """A format that the processor uses."""
    return Call({"desc": Parts(bench).desc(), "format": NC1HWC0})


@recipe("aclSetTensorShape", "aclSetTensorStorageShape", "aclSetTensorOriginShape")
def set_shape(bench: Bench) -> Call:
    """Five dims for four."""
    return Call({"desc": Parts(bench).desc((1, 2, 3, 32)), "numDims": 5, "dims": [1, 2, 2, 3, 16]})


@recipe("aclSetTensorShapeRange")
def set_shape_range(bench: Bench) -> Call:
    """Bounds of both dims."""
    return Call({"desc": Parts(bench).desc((16, -1)), "dimsCount": 2, "dimsRange": BOUNDS})


@recipe("aclSetTensorValueRange")
def set_value_range(bench: Bench) -> Call:
    """Bounds of two values."""
    return Call({"desc": Parts(bench).desc((2,)), "valueCount": 2, "valueRange": BOUNDS})


@recipe("aclSetTensorDynamicInput")
def set_dynamic_input(bench: Bench) -> Call:
    """A group of one member."""
    return Call({"desc": Parts(bench).desc(), "dynamicInputName": "x"})


@recipe("aclSetTensorConst")
def set_const(bench: Bench) -> Call:
    """16 bytes of the host; of the device where both use the same memory."""
    kind = "device" if bench.case.shares_memory else "host"
    block = getattr(bench.memory, kind)(16).fill(1)
    return Call({"desc": Parts(bench).desc((4,)), "dataBuffer": block, "length": 16}, watch=(block,))


@recipe("aclSetTensorPlaceMent")
def set_placement(bench: Bench) -> Call:
    """Host memory."""
    return Call({"desc": Parts(bench).desc(), "memType": "ACL_MEMTYPE_HOST"})


@recipe("aclTransTensorDescFormat")
def trans_format(bench: Bench) -> Call:
    """From NHWC to NCHW; the call is reserved, so it need not work."""
    args = {"srcDesc": Parts(bench).desc((1, 2, 3, 4)), "dstFormat": "ACL_FORMAT_NCHW"}
    call = Call(args, control=False)
    call.undo = lambda result: (
        bench.call("aclDestroyTensorDesc", desc=result.dstDesc) if result.dstDesc else None
    )
    return call
