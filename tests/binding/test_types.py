"""C types made from the contract."""

from __future__ import annotations

import ctypes

import msgspec
import pytest

from harness.binding import TypeMap, Values
from harness.contract import Contract, ContractError, load


@pytest.fixture(scope="module")
def types() -> TypeMap:
    return TypeMap(load())


@pytest.fixture(scope="module")
def values(types: TypeMap) -> Values:
    return Values(load(), types, lambda info, function: None)


@pytest.mark.parametrize(
    ("text", "category", "depth"),
    [
        ("size_t", "integer", 0),
        ("const char *", "char", 1),
        ("void **", "void", 2),
        ("int32_t * const", "integer", 1),
        ("aclError", "integer", 0),
        ("aclFloat16", "integer", 0),
        ("float", "real", 0),
        ("aclrtMemMallocPolicy", "enum", 0),
        ("aclrtStream", "handle", 0),
        ("aclrtStream *", "handle", 1),
        ("const aclTensorDesc * const []", "opaque", 2),
        ("int64_t [][2]", "integer", 1),
        ("const aclrtMemcpyBatchAttr *", "struct", 1),
        ("struct aclmdlRIKernelTaskParams", "struct", 0),
        ("aclrtCallback", "callback", 0),
        ("int32_t (* const)(const acldumpChunk *, int32_t)", "callback", 0),
    ],
)
def test_a_type_text_is_understood(types: TypeMap, text: str, category: str, depth: int) -> None:
    info = types.info(text)
    assert (info.category, info.depth) == (category, depth)


def test_every_struct_is_laid_out_as_the_compiler_laid_it_out(types: TypeMap) -> None:
    sizes = {name: ctypes.sizeof(types.struct(name)) for name in load().structs}
    assert sizes == {name: facts.size for name, facts in load().structs.items()}


def test_a_layout_that_differs_from_the_facts_is_an_error() -> None:
    contract = load()
    facts = contract.structs["aclrtMemLocation"]
    moved = msgspec.structs.replace(facts.fields[1], offset=6)
    broken = msgspec.structs.replace(facts, fields=(facts.fields[0], moved))
    altered = Contract.__new__(Contract)
    altered.__dict__.update(contract.__dict__, structs={**contract.structs, "aclrtMemLocation": broken})
    with pytest.raises(ContractError, match=r"structs.json: aclrtMemLocation.type: offset 6"):
        TypeMap(altered).struct("aclrtMemLocation")


def test_an_enum_takes_values_outside_it(types: TypeMap) -> None:
    enum = types.ctype("aclrtMemMallocPolicy")
    assert [enum(value).value for value in (100, -1, 2**31)] == [100, -1, -(2**31)]


def test_a_nested_dict_fills_a_struct(types: TypeMap, values: Values) -> None:
    given = {"dstLoc": {"id": 3, "type": "ACL_MEM_LOCATION_TYPE_DEVICE"}, "rsv": [0, 9]}
    made = values.struct(types.struct("aclrtMemcpyBatchAttr"), given, [], "attrs")
    read = values.read(None, made)
    assert read["dstLoc"] == {"id": 3, "type": 1}
    assert read["rsv"] == [0, 9, *[0] * 14]


def test_a_union_takes_the_member_that_is_named(types: TypeMap, values: Values) -> None:
    made = values.struct(
        types.struct("aclrtMallocAttribute"), {"attr": 1, "value": {"moduleId": 33}}, [], "attrs"
    )
    assert bytes(made) == b"\x01\0\0\0\x21\0\0\0\0\0\0\0"


def test_an_unnamed_union_gives_its_members_to_the_struct(types: TypeMap, values: Values) -> None:
    given = {"type": 1, "eventWaitTaskParams": {"event": 0x55, "waitFlag": 2}}
    made = values.struct(types.struct("aclmdlRITaskParams"), given, [], "params")
    assert values.read(None, made)["eventWaitTaskParams"] == {"event": 0x55, "eventFlag": 0, "waitFlag": 2}


def test_a_pointer_field_takes_a_list(types: TypeMap, values: Values) -> None:
    keep: list[object] = []
    given = {"attrs": [{"attr": 1, "value": {"moduleId": 7}}], "numAttrs": 1}
    made = values.struct(types.struct("aclrtMallocConfig"), given, keep, "cfg")
    first = types.struct("aclrtMallocAttribute").from_address(made.attrs)
    assert first.value.moduleId == 7
    assert keep


def test_a_char_array_keeps_what_stands_behind_a_zero(types: TypeMap, values: Values) -> None:
    made = values.struct(types.struct("aclrtUuid"), {"bytes": b"ab\0cd"}, [], "uuid")
    assert values.read(None, made)["bytes"] == b"ab\0cd" + b"\0" * 11


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"dstLok": {}}, r"attrs\.dstLok: no such field; there are dstLoc, srcLoc, rsv"),
        ({"rsv": [0] * 17}, r"attrs\.rsv: 17 values given, there is room for 16"),
        ({"dstLoc": {"type": "ACL_NO_SUCH"}}, r"attrs\.dstLoc\.type: 'ACL_NO_SUCH' is no enumerator"),
        ({"dstLoc": 7}, r"attrs\.dstLoc: a dict is needed, not int"),
        ({"rsv": [None]}, r"attrs\.rsv\[0\]: a number is needed, not None"),
    ],
)
def test_a_wrong_value_is_named_with_its_path(
    types: TypeMap, values: Values, given: dict[str, object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        values.struct(types.struct("aclrtMemcpyBatchAttr"), given, [], "attrs")
