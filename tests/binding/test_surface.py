"""Calls by parameter names: what goes in, what comes out, what is refused."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from harness.binding import AbsentFunction, CSurface, InOut


class Block:
    """Anything with an address."""

    def __init__(self, data: bytearray) -> None:
        self.data = data
        self.ptr = ctypes.addressof((ctypes.c_char * len(data)).from_buffer(data))


def test_an_output_comes_back_by_its_name(surface: CSurface) -> None:
    made = surface.aclrtMalloc(size=64, policy="ACL_MEM_MALLOC_HUGE_FIRST")
    assert (made.ok, made.code, made.name) == (True, 0, "ACL_SUCCESS")
    assert made.devPtr == made["devPtr"] == made.outputs["devPtr"] != 0
    assert surface.call("aclrtFree", devPtr=made.devPtr).ok


def test_several_outputs_come_back(surface: CSurface) -> None:
    result = surface.aclrtGetMemInfo(attr="ACL_HBM_MEM")
    assert result.outputs == {"free": 1001, "total": 2000}


def test_a_failing_call_leaves_its_slot_untouched(surface: CSurface) -> None:
    result = surface.aclrtMalloc(size=0, policy=0)
    assert (result.ok, result.name) == (False, "ACL_ERROR_INVALID_PARAM")
    assert result.untouched("devPtr")
    assert result.devPtr == 0xA5A5_A5A5_A5A5_A5A5


def test_a_written_slot_is_not_untouched(surface: CSurface) -> None:
    assert not surface.aclrtGetDeviceCount().untouched("count")


def test_a_success_that_leaves_its_output_alone_is_seen(surface: CSurface) -> None:
    assert surface.aclrtGetDeviceCount().unwritten == ()
    assert surface.aclrtGetStreamAvailableNum().unwritten == ("streamCount",)
    assert surface.aclrtGetStreamAvailableNum(streamCount=InOut(3)).unwritten == ()


def test_a_failure_owes_no_output(surface: CSurface) -> None:
    assert surface.aclrtMalloc(size=0, policy=0).unwritten == ()


def test_untouched_of_something_without_a_slot_is_an_error(surface: CSurface) -> None:
    with pytest.raises(KeyError):
        surface.aclrtMalloc(devPtr=None, size=8, policy=0).untouched("devPtr")


def test_a_write_behind_an_output_is_seen(surface: CSurface) -> None:
    assert surface.aclrtStreamGetPriority(stream=None).overrun == ("priority",)
    assert surface.aclrtGetDeviceCount().overrun == ()
    assert surface.library.overruns == ["aclrtStreamGetPriority wrote behind the end of its output priority"]


def test_an_output_can_be_given_as_null(surface: CSurface) -> None:
    result = surface.aclrtMalloc(devPtr=None, size=8, policy=0)
    assert (result.code, result.outputs) == (100000, {})


def test_an_output_can_be_given_as_an_address(surface: CSurface) -> None:
    slot = ctypes.c_uint32(77)
    result = surface.aclrtGetDeviceCount(count=ctypes.addressof(slot))
    assert (slot.value, result.outputs) == (2, {})


def test_an_output_can_be_preset(surface: CSurface) -> None:
    result = surface.aclrtMalloc(devPtr=InOut(0x1234), size=0, policy=0)
    assert result.devPtr == 0x1234
    assert result.untouched("devPtr")


def test_a_struct_output_can_be_preset(surface: CSurface) -> None:
    result = surface.aclrtPointerGetAttributes(
        ptr=None, attributes=InOut({"pageSize": 5, "location": {"id": 6}})
    )
    assert result.attributes == {"location": {"id": 6, "type": 0}, "pageSize": 5, "rsv": [0, 0, 0, 0]}


def test_an_array_can_be_preset(surface: CSurface) -> None:
    result = surface.aclrtIpcMemSetImportPid(key="key-123", pid=InOut([4, 5, 6]), num=3)
    assert (result.code, result.pid) == (15, [4, 5, 6])


def test_an_int_is_cut_to_the_parameter(surface: CSurface) -> None:
    assert surface.aclrtSetStreamFailureMode(stream=0, mode=-1).ok


@pytest.mark.parametrize("policy", [100, -1, 2**31, 2**31 - 1])
def test_an_enum_takes_values_outside_it(surface: CSurface, policy: int) -> None:
    made = surface.aclrtMalloc(size=8, policy=policy)
    assert surface.aclrtGetLastError(level=0).code == ctypes.c_int32(policy).value
    surface.aclrtFree(devPtr=made.devPtr)


def test_bytes_and_arrays_are_pointed_at(surface: CSurface) -> None:
    target = np.zeros(4, dtype=np.uint8)
    assert surface.aclrtMemcpy(dst=target, destMax=4, src=b"abcd", count=4, kind=0).ok
    assert target.tobytes() == b"abcd"


def test_a_block_is_passed_by_its_address(surface: CSurface) -> None:
    block = Block(bytearray(4))
    surface.aclrtMemcpy(dst=block, destMax=4, src=Block(bytearray(b"wxyz")), count=4, kind=0)
    assert block.data == b"wxyz"


def test_ctypes_objects_are_passed_by_reference(surface: CSurface) -> None:
    target, source = ctypes.create_string_buffer(4), ctypes.c_uint32(0x64636261)
    surface.aclrtMemcpy(dst=target, destMax=4, src=source, count=4, kind=0)
    assert target.raw == b"abcd"


def test_a_text_parameter_takes_str_bytes_and_null(surface: CSurface) -> None:
    codes = [surface.aclInit(configPath=path).code for path in ("missing.json", b"missing.json", "", None)]
    assert codes == [100000, 100000, 0, 0]


def test_lists_become_arrays_and_dicts_structs(surface: CSurface) -> None:
    target, source = np.zeros(8, dtype=np.uint8), np.arange(8, dtype=np.uint8)
    location = {"id": 3, "type": "ACL_MEM_LOCATION_TYPE_DEVICE"}
    result = surface.aclrtMemcpyBatch(
        dsts=[target],
        destMaxs=[8],
        srcs=[source],
        sizes=[8],
        numBatches=1,
        attrs=[{"dstLoc": location}],
        attrsIndexes=[0],
        numAttrs=1,
    )
    assert result.ok
    assert result.untouched("failIndex")
    assert target.tolist() == list(range(8))


def test_a_reserved_field_reaches_the_library(surface: CSurface) -> None:
    result = surface.aclrtMemcpyBatch(
        dsts=[0], destMaxs=[0], srcs=[0], sizes=[0], numBatches=1,
        attrs=[{"rsv": [0] * 15 + [1]}], attrsIndexes=[0], numAttrs=1,
    )  # fmt: skip
    assert (result.code, result.failIndex) == (100000, 0)


def test_a_nested_pointer_is_followed(surface: CSurface) -> None:
    cfg = {"attrs": [{"attr": 1, "value": {"moduleId": 33}}], "numAttrs": 1}
    assert surface.aclrtMallocWithCfg(size=8, policy=0, cfg=cfg).devPtr == 1033
    assert surface.aclrtMallocWithCfg(size=8, policy=0, cfg=None).devPtr == 0


def test_a_struct_comes_back_as_a_dict(surface: CSurface) -> None:
    attributes = surface.aclrtPointerGetAttributes(ptr=4096).attributes
    assert attributes == {"location": {"id": 7, "type": 1}, "pageSize": 4096, "rsv": [0, 0, 0, 9]}


def test_a_char_buffer_is_sized_by_its_length_parameter(surface: CSurface) -> None:
    key = surface.aclrtIpcMemGetExportKey(devPtr=1, size=8, len=16, flags=0).key
    assert key == b"key-123\0" + b"\xa5" * 8


def test_a_char_buffer_can_be_the_callers(surface: CSurface) -> None:
    buffer = ctypes.create_string_buffer(16)
    surface.aclrtIpcMemGetExportKey(devPtr=1, size=8, key=buffer, len=16, flags=0)
    assert buffer.value == b"key-123"


def test_an_absurd_length_is_not_allocated(surface: CSurface) -> None:
    with pytest.raises(TypeError, match=r"len is 18446744073709551615: give key yourself"):
        surface.aclrtIpcMemGetExportKey(devPtr=1, size=8, len=2**64 - 1, flags=0)


def test_a_function_without_a_code_gives_its_value(surface: CSurface) -> None:
    assert (
        surface.aclDataTypeSize(dataType="ACL_FLOAT16").value,
        surface.aclDataTypeSize(dataType=0).code,
    ) == (2, None)
    assert surface.aclFloat16ToFloat(value=3).value == 3.0


def test_null_from_a_function_is_no_success(surface: CSurface) -> None:
    text, handle = surface.aclGetRecentErrMsg(), surface.aclCreateDataBuffer(data=0, size=0)
    assert (text.value, text.ok) == (None, False)
    assert (handle.value, handle.ok) == (0, False)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"size": 8}, "aclrtMalloc: policy is missing; the function takes devPtr, size, policy"),
        (
            {"size": 8, "policy": 0, "kind": 1},
            "aclrtMalloc has no parameter kind; it has devPtr, size, policy",
        ),
        ({"size": None, "policy": 0}, "aclrtMalloc: size: a number is needed, not None"),
        ({"size": "ACL_NO_SUCH", "policy": 0}, "aclrtMalloc: size: 'ACL_NO_SUCH' is no enumerator"),
        ({"size": 8, "policy": 0, "devPtr": 1.5}, "aclrtMalloc: devPtr: an address or something to point at"),
        ({"size": 8, "policy": 0, "devPtr": {}}, r"aclrtMalloc: devPtr: void \*\* does not take a dict"),
    ],
)
def test_a_wrong_call_is_refused_before_c(surface: CSurface, args: dict[str, object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        surface.call("aclrtMalloc", **args)
    assert len(surface.library.recorder) == 0


def test_an_address_parameter_takes_no_list_and_no_text(surface: CSurface) -> None:
    with pytest.raises(TypeError, match=r"aclrtFree: devPtr: void \* takes an address, not a list"):
        surface.aclrtFree(devPtr=[1])
    with pytest.raises(TypeError, match=r"aclrtFree: devPtr: void \* does not take a text"):
        surface.aclrtFree(devPtr="x")


def test_an_output_that_is_the_callers_own_must_be_given(surface: CSurface) -> None:
    with pytest.raises(TypeError, match="aclrtSetMemcpyDesc: desc is missing"):
        surface.aclrtSetMemcpyDesc(kind=0, srcAddr=0, dstAddr=0, count=0, config=None)


def test_an_absent_function_is_named(surface: CSurface) -> None:
    assert not surface.has("aclrtMemcpyAsync")
    with pytest.raises(AbsentFunction, match="aclrtMemcpyAsync"):
        surface.aclrtMemcpyAsync(dst=0, destMax=0, src=0, count=0, kind=0, stream=0)


def test_a_function_outside_the_contract_is_no_attribute(surface: CSurface) -> None:
    with pytest.raises(AttributeError, match="aclrtNoSuchThing is no function of the contract"):
        surface.aclrtNoSuchThing  # noqa: B018
