"""The helpers of the suites of data buffers and tensor descriptions: they notice what they must notice."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from harness.contract import load
from harness.device import DeviceError, Profile
from harness.plugin import Expect, RuleViolation
from suites.models.objects import Objects
from suites.models.tensor.tensors import Tensors

CONTRACT = load()
PROFILE = Profile("910b", "EP", "9.0")


class FakeAcl:
    """A surface that answers each function from a table, and notes the calls."""

    name = "c"

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def call(self, api: str, /, **args: Any) -> Any:
        self.calls.append((api, args))
        answer = self.answers.get(api, 0)
        return answer(args) if callable(answer) else result(api, answer)


def result(api: str, value: Any = 0, code: int | None = None, **outputs: Any) -> Any:
    ok = bool(value) if code is None else code == 0
    shown = {"api": api, "value": value, "code": code, "name": str(code), "ok": ok, "overrun": ()}
    return SimpleNamespace(**shown, outputs=outputs, **outputs)


def code(api: str, number: int = 0, **outputs: Any) -> Any:
    return lambda args: result(api, None, number, **outputs)


def tensors(acl: FakeAcl, rule: str = "create_data_buffer.distinct_objects") -> Tensors:
    expect = Expect([CONTRACT.rules[rule]], CONTRACT, PROFILE)
    case: Any = SimpleNamespace(contract=CONTRACT, supports=lambda api: True)
    return Tensors(acl, case, expect)


def test_objects_are_destroyed_the_last_one_first() -> None:
    objects = Objects()
    for handle in (1, 2, 3):
        objects.note("aclCreateDataBuffer", {}, result("aclCreateDataBuffer", handle))
    objects.note("aclCreateTensorDesc", {}, result("aclCreateTensorDesc", 4))
    objects.note("aclDestroyDataBuffer", {"dataBuffer": 2}, code("d")({}))
    objects.note("aclDestroyDataBuffer", {"dataBuffer": 3}, code("d", 100000)({}))
    objects.note("aclDestroyTensorDesc", {"desc": None}, code("d")({}))
    objects.note("aclCreateDataBuffer", {}, result("aclCreateDataBuffer", 0))
    acl = FakeAcl(aclDestroyDataBuffer=code("d"), aclDestroyTensorDesc=code("d"))
    assert len(objects) == 3
    objects.give_back(acl)
    assert [args for _, args in acl.calls] == [{"desc": 4}, {"dataBuffer": 3}, {"dataBuffer": 1}]
    assert len(objects) == 0


def test_an_object_that_cannot_be_destroyed_is_told_after_all_were_tried() -> None:
    objects = Objects()
    for handle in (1, 2):
        objects.note("aclCreateDataBuffer", {}, result("aclCreateDataBuffer", handle))
    acl = FakeAcl(aclDestroyDataBuffer=code("aclDestroyDataBuffer", 100000))
    with pytest.raises(DeviceError, match="aclDestroyDataBuffer returned 100000"):
        objects.give_back(acl)
    assert len(acl.calls) == 2


GOOD = {"aclGetDataBufferAddr": 64, "aclGetDataBufferSizeV2": 8, "aclDestroyDataBuffer": code("d")}
BAD: dict[str, dict[str, Any]] = {
    "another address": {"aclGetDataBufferAddr": 65},
    "another size": {"aclGetDataBufferSizeV2": 7},
    "not destroyed": {"aclDestroyDataBuffer": code("d", 100000)},
}


def test_a_good_buffer_is_good() -> None:
    tensors(FakeAcl(**GOOD)).expect_buffer(result("aclCreateDataBuffer", 5), 64, 8)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_buffer_is_noticed(name: str) -> None:
    with pytest.raises(RuleViolation):
        tensors(FakeAcl(**{**GOOD, **BAD[name]})).expect_buffer(result("aclCreateDataBuffer", 5), 64, 8)


def test_no_buffer_is_noticed() -> None:
    with pytest.raises(RuleViolation, match="a data buffer is given"):
        tensors(FakeAcl(**GOOD)).expect_buffer(result("aclCreateDataBuffer", 0), 64, 8)


def test_the_same_object_twice_is_noticed() -> None:
    one = result("aclCreateDataBuffer", 5)
    with pytest.raises(RuleViolation, match="different objects: 2"):
        tensors(FakeAcl(**GOOD)).expect_own_objects([one, one], 64, 8)


def test_an_object_that_goes_with_another_is_noticed() -> None:
    gone: list[int] = []

    def destroy(args: dict[str, Any]) -> Any:
        gone.append(args["dataBuffer"])
        return code("d")(args)

    def address(args: dict[str, Any]) -> Any:
        return result("aclGetDataBufferAddr", 0 if gone else 64)

    acl = FakeAcl(**{**GOOD, "aclDestroyDataBuffer": destroy, "aclGetDataBufferAddr": address})
    made = [result("aclCreateDataBuffer", handle) for handle in (5, 6)]
    with pytest.raises(RuleViolation, match="the address: 64"):
        tensors(acl).expect_own_objects(made, 64, 8)


def facts(dims: list[int], dtype: int = 0, layout: int = 2) -> FakeAcl:
    def dim(args: dict[str, Any]) -> Any:
        return result("aclGetTensorDescDimV2", None, 0, dimSize=dims[args["index"]])

    return FakeAcl(
        aclGetTensorDescType=lambda args: result("t", dtype),
        aclGetTensorDescFormat=lambda args: result("f", layout),
        aclGetTensorDescNumDims=lambda args: result("n", len(dims)),
        aclGetTensorDescDimV2=dim,
    )


@pytest.mark.parametrize(
    ("acl", "claim"),
    [
        (facts([2, 4]), "the dims"),
        (facts([2]), "the dims"),
        (facts([2, 3], dtype=1), "the data type"),
        (facts([2, 3], layout=0), "the format"),
    ],
)
def test_other_facts_are_noticed(acl: FakeAcl, claim: str) -> None:
    made = result("aclCreateTensorDesc", 5)
    tensors(facts([2, 3])).expect_facts(made, (2, 3), "ACL_FLOAT", "ACL_FORMAT_ND")
    with pytest.raises(RuleViolation, match=claim):
        tensors(acl).expect_facts(made, (2, 3), "ACL_FLOAT", "ACL_FORMAT_ND")


def test_bounds_of_another_dim_are_noticed() -> None:
    acl = FakeAcl(aclGetTensorDescDimRange=code("r", dimRange=[1, 2]))
    tensors(acl).expect_all_bounds(5, [(1, 2)])
    with pytest.raises(RuleViolation, match="bounds of dim 1"):
        tensors(acl).expect_all_bounds(5, [(1, 2), (3, 4)])


def test_a_changed_source_is_noticed() -> None:
    refused = code("aclTransTensorDescFormat", 200001)({})
    tensors(facts([2, 3], layout=0)).expect_source_kept(refused, 5, (2, 3))
    with pytest.raises(RuleViolation, match="the format"):
        tensors(facts([2, 3], layout=1)).expect_source_kept(refused, 5, (2, 3))
