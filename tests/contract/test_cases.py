"""The language of argument rules: values, paths, what it refuses, and hostile input."""

from types import SimpleNamespace
from typing import Any

import pytest

from harness.contract import ArgumentCase, Contract, load
from harness.contract.cases import (
    CaseError,
    arguments,
    evaluate,
    expectation,
    parse_expression,
    parse_path,
)

EXTRAS = {"pinned_block": 0x1000, "pinned_block2": 0x2000, "device_block": 0x7000, "device_count": 2}


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load()


def batch() -> dict[str, Any]:
    """The arguments a recipe of aclrtMemcpyBatch passes."""
    return {
        "dsts": [0x100, 0x200, 0x300, 0x400],
        "destMaxs": [64] * 4,
        "srcs": [SimpleNamespace(ptr=0x10), 0x20, 0x30, 0x40],
        "sizes": [64] * 4,
        "numBatches": 4,
        "attrs": [
            {
                "dstLoc": {"id": 0, "type": "ACL_MEM_LOCATION_TYPE_DEVICE"},
                "srcLoc": {"id": 0, "type": "ACL_MEM_LOCATION_TYPE_HOST"},
                "rsv": [0] * 16,
            }
        ],
        "attrsIndexes": [0],
        "numAttrs": 1,
    }


def replaced(contract: Contract, api: str, args: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return arguments(contract, api, ArgumentCase(set=changes), args, EXTRAS.__getitem__)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("0x10", 16),
        ("0XfF", 255),
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("10-3-2", 5),
        ("-1", -1),
        ("--1", 1),
        ("2*-3", -6),
        (" 4 * GiB + 1 ", 4 * 2**30 + 1),
        ("16*TiB-4*GiB", 2**44 - 2**32),
        ("SIZE_MAX", 2**64 - 1),
        ("SIZE_MAX-62", 2**64 - 63),
        ("INT32_MIN", -(2**31)),
        ("ACL_MEMCPY_DEFAULT", 4),
        ("ACL_HOST_REG_MAPPED+0x100", 0x102),
        ("ACL_ERROR_RT_PARAM_INVALID", 107000),
        ("@pinned_block+64", 0x1040),
        ("@device_count", 2),
    ],
)
def test_expressions_have_their_arithmetic_value(contract: Contract, text: str, value: int) -> None:
    assert evaluate(contract, text, EXTRAS.__getitem__) == value


def test_null_numbers_and_lists_stand_for_themselves(contract: Contract) -> None:
    assert evaluate(contract, None, EXTRAS.__getitem__) is None
    assert evaluate(contract, 7, EXTRAS.__getitem__) == 7
    assert evaluate(contract, [0, "1*KiB", None], EXTRAS.__getitem__) == [0, 1024, None]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1+",
        "*2",
        "(1",
        "1)",
        "()",
        "1 2",
        "1//2",
        "1**9",
        "1/2",
        "1<<63",
        "1|2",
        "a.b",
        "f(1)",
        "@",
        "@1",
        "@a[-1]",
        "@a[x]",
        "1e9",
        "12KiB",
        "0x",
        "'x'",
        "__import__('os')",
        "lambda: 1",
        "1;2",
        "1\n+\x00",
        "\uff11",
        "9" * 21,
    ],
)
def test_anything_else_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(CaseError, match=r"is not an expression|is longer than") as refusal:
        parse_expression(text)
    assert "\n" not in str(refusal.value)


def test_deep_nesting_and_endless_text_are_refused_without_recursing_into_them() -> None:
    with pytest.raises(CaseError, match="nested deeper"):
        parse_expression("(" * 90 + "1" + ")" * 90)
    with pytest.raises(CaseError, match="nested deeper"):
        parse_expression("-" * 90 + "1")
    with pytest.raises(CaseError, match="is longer than 200 characters"):
        parse_expression("(" * 1_000_000)


@pytest.mark.parametrize("text", ["SIZE_MAX+1", "EiB*EiB", "-SIZE_MAX-1", "SIZE_MAX*SIZE_MAX*0"])
def test_a_result_beyond_64_bits_is_refused(contract: Contract, text: str) -> None:
    with pytest.raises(CaseError, match="does not fit 64 bits"):
        evaluate(contract, text, EXTRAS.__getitem__)


def test_unknown_names_are_named(contract: Contract) -> None:
    with pytest.raises(CaseError, match="nothing is known as @nowhere"):
        evaluate(contract, "1+@nowhere", EXTRAS.__getitem__)
    with pytest.raises(Exception, match="no such enumerator, macro or return code: ACL_NOTHING"):
        evaluate(contract, "ACL_NOTHING", EXTRAS.__getitem__)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("dst", ("dst",)),
        ("dsts[2]", ("dsts", 2)),
        ("attrs[0].rsv[15]", ("attrs", 0, "rsv", 15)),
        ("prop.location.id", ("prop", "location", "id")),
    ],
)
def test_paths_have_steps(text: str, steps: tuple[str | int, ...]) -> None:
    assert parse_path(text) == steps


@pytest.mark.parametrize(
    "text", ["", "0", "a.", ".a", "a[]", "a[-1]", "a[1", "a b", "a.0", "a[9999999]", "a\n", "a" * 300]
)
def test_malformed_paths_are_refused(text: str) -> None:
    with pytest.raises(CaseError, match="is not a path"):
        parse_path(text)


def test_a_case_changes_a_copy_and_nothing_of_the_recipe(contract: Contract) -> None:
    args = batch()
    changed = arguments(
        contract,
        "aclrtMemcpyBatch",
        ArgumentCase(set={"attrs[0].rsv[15]": 1, "dsts[2]": None, "sizes": [0, 0, 0, 0]}),
        args,
        EXTRAS.__getitem__,
    )
    assert changed["attrs"][0]["rsv"] == [0] * 15 + [1]
    assert changed["dsts"] == [0x100, 0x200, None, 0x400]
    assert changed["sizes"] == [0, 0, 0, 0]
    assert changed["srcs"][0] is args["srcs"][0]
    assert args == {**batch(), "srcs": args["srcs"]}


def test_an_index_one_past_the_end_copies_the_last_element_first(contract: Contract) -> None:
    changed = arguments(
        contract,
        "aclrtMemcpyBatch",
        ArgumentCase(set={"attrs[1].dstLoc.type": "ACL_MEM_LOCATION_TYPE_HOST", "numAttrs": 2}),
        batch(),
        EXTRAS.__getitem__,
    )
    assert [entry["dstLoc"]["type"] for entry in changed["attrs"]] == ["ACL_MEM_LOCATION_TYPE_DEVICE", 0]
    assert changed["attrs"][1]["rsv"] == [0] * 16


def test_the_recipes_own_values_can_be_named(contract: Contract) -> None:
    case = ArgumentCase(
        set={"destMaxs[1]": "@sizes[1]-1", "dsts[0]": "@srcs[0]+8", "numAttrs": "@numBatches+1"}
    )
    changed = arguments(contract, "aclrtMemcpyBatch", case, batch(), EXTRAS.__getitem__)
    assert changed["destMaxs"] == [64, 63, 64, 64]
    assert changed["dsts"][0] == 0x18
    assert changed["numAttrs"] == 5


def test_names_mean_the_recipes_values_even_after_a_replacement(contract: Contract) -> None:
    changed = replaced(contract, "aclrtMemcpy", {"dst": 0x100, "src": 0x200}, dst="@src", src="@dst")
    assert changed == {"dst": 0x200, "src": 0x100}


def test_setting_a_member_of_a_union_drops_the_others(contract: Contract) -> None:
    args = {"cfg": {"attrs": [{"attr": 1, "value": {"moduleId": 33}}], "numAttrs": 1}}
    case = ArgumentCase(set={"cfg.attrs[0].value.deviceId": 1, "cfg.attrs[1].value.vaFlag": 0})
    changed = arguments(contract, "aclrtMallocWithCfg", case, args, EXTRAS.__getitem__)
    assert [entry["value"] for entry in changed["cfg"]["attrs"]] == [{"deviceId": 1}, {"vaFlag": 0}]
    assert args["cfg"]["attrs"][0]["value"] == {"moduleId": 33}


def test_a_pointer_to_one_struct_may_be_a_struct_or_a_list_of_one(contract: Contract) -> None:
    location = {"id": 0, "type": 1}
    case = ArgumentCase(set={"location.type": 3})
    for given in (dict(location), [dict(location)]):
        changed = arguments(contract, "aclrtMemGetAccess", case, {"location": given}, EXTRAS.__getitem__)
        assert changed["location"] in ({"id": 0, "type": 3}, [{"id": 0, "type": 3}])


def test_an_output_left_out_by_the_recipe_can_be_made_null(contract: Contract) -> None:
    assert replaced(contract, "aclrtMalloc", {"size": 4096}, devPtr=None) == {"size": 4096, "devPtr": None}


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("cfg.numAttrs", "passes nothing there"),
        ("nothing", "has no parameter nothing"),
        ("size[0]", "a size_t has no elements"),
        ("cfg.colour", "has no field colour"),
        ("cfg.attrs[0].value.rsv[8]", r"the array ends at \[7\]"),
    ],
)
def test_a_path_that_does_not_fit_the_recipe_or_the_prototype_is_refused(
    contract: Contract, path: str, message: str
) -> None:
    args = {"size": 4096, "policy": 0, "cfg": {"attrs": [{"attr": 1, "value": {"rsv": [0] * 8}}]}}
    if path == "cfg.numAttrs":
        args["cfg"] = None
    with pytest.raises(CaseError, match=message):
        arguments(contract, "aclrtMallocWithCfg", ArgumentCase(set={path: 1}), args, EXTRAS.__getitem__)


def test_a_case_may_overrule_the_outcome_of_its_rule(contract: Contract) -> None:
    rule = contract.rule("memcpy.count_gt_destmax")
    assert [expectation(rule, case) for case in rule.cases] == ["error", "success"]
