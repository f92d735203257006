"""The helpers of the suites of model descriptions: they notice what they must notice."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from harness.contract import load
from harness.device import Profile
from harness.models import Tensor, program
from harness.plugin import Blocked, Expect, RuleViolation
from suites.models.desc.descriptions import Descriptions, shape
from suites.models.desc.operators import Operators, OperatorTask
from suites.models.shaping import gear_arguments, geared_dims
from tests.suites.test_tensor_helpers import FakeAcl, code, result

CONTRACT = load()
PROFILE = Profile("910b", "EP", "9.0")
LONG = "y" * 200


def descriptions(acl: FakeAcl) -> Descriptions:
    expect = Expect([CONTRACT.rules["get_output_name_by_index.long_name_replaced"]], CONTRACT, PROFILE)
    case: Any = SimpleNamespace(contract=CONTRACT)
    return Descriptions(acl, case, expect, SimpleNamespace())  # type: ignore[arg-type]


def record(*dims: int) -> dict[str, Any]:
    return {"name": b"", "dimCount": len(dims), "dims": [*dims, *[0] * (128 - len(dims))]}


def test_the_shape_of_a_record() -> None:
    assert shape(record(2, 3)) == [2, 3]
    assert shape(record()) == []


def test_another_shape_is_noticed() -> None:
    told = result("aclmdlGetInputDims", None, 0, dims=record(2, 3))
    descriptions(FakeAcl()).expect_dims(told, (2, 3))
    with pytest.raises(RuleViolation, match="the dims"):
        descriptions(FakeAcl()).expect_dims(told, (2, 4))


@pytest.mark.parametrize("size", [95, 96 + 4097])
def test_a_size_that_does_not_fit_is_noticed(size: int) -> None:
    tensor = Tensor("x", (2, 3), "int64")
    made = program("affine")
    descriptions(FakeAcl()).expect_size(result("s", 96), made, (2, 6), tensor)
    with pytest.raises(RuleViolation, match="bytes of a tensor"):
        descriptions(FakeAcl()).expect_size(result("s", size), made, (2, 6), tensor)


def named(real: bytes | None) -> FakeAcl:
    return FakeAcl(aclmdlGetTensorRealName=lambda args: SimpleNamespace(value=real))


@pytest.mark.parametrize(
    ("told", "real"),
    [
        (b"y" * 127, LONG.encode()),
        (b"acl_modelId_8_output_0", LONG.encode()),
        (b"acl_modelId_7_output_0", None),
    ],
)
def test_a_wrong_replacement_is_noticed(told: bytes, real: bytes | None) -> None:
    tensors, good = [Tensor(LONG, (1,))], b"acl_modelId_7_output_0"
    descriptions(named(LONG.encode())).expect_told_names([good], 5, "Output", tensors, 7)
    with pytest.raises(RuleViolation):
        descriptions(named(real)).expect_told_names([told], 5, "Output", tensors, 7)


def test_a_replaced_short_name_is_noticed() -> None:
    with pytest.raises(RuleViolation, match="name 0"):
        descriptions(named(b"y")).expect_told_names(
            [b"acl_modelId_7_output_0"], 5, "Output", [Tensor("y", ())], 7
        )


def operators(acl: FakeAcl, control: object | None = None) -> Operators:
    expect = Expect([CONTRACT.rules["get_tensor_desc_by_index.elements"]], CONTRACT, PROFILE)
    engine = SimpleNamespace(library=SimpleNamespace(control=control))
    case: Any = SimpleNamespace(contract=CONTRACT, engine=engine)
    nothing: Any = SimpleNamespace()
    return Operators(acl, case, expect, nothing, nothing)


TASK = OperatorTask(1, 2, SimpleNamespace())  # type: ignore[arg-type]


def test_an_operator_that_is_not_found_is_blocked_on_hardware_only() -> None:
    acl = FakeAcl(aclmdlCreateAndGetOpDesc=code("aclmdlCreateAndGetOpDesc", 545000))
    with pytest.raises(Blocked):
        operators(acl).needed(TASK)
    with pytest.raises(RuleViolation):
        operators(acl, control=object()).needed(TASK)


def test_the_same_element_twice_is_noticed() -> None:
    acl = FakeAcl(aclGetTensorDescByIndex=lambda args: result("e", 5))
    with pytest.raises(RuleViolation, match="different elements"):
        operators(acl).expect_elements(5, ("ACL_FLOAT", ()), ("ACL_FLOAT", ()))


def test_an_address_elsewhere_is_noticed() -> None:
    acl = FakeAcl(
        aclGetTensorDescByIndex=lambda args: result("e", args["desc"] + args["index"]),
        aclGetTensorDescAddress=lambda args: result("a", 64 * args["desc"]),
    )
    block = [SimpleNamespace(ptr=64 * desc) for desc in (1, 2, 3)]
    run: Any = SimpleNamespace(input_blocks=block[:2], output_blocks=block[2:])
    told = result("o", None, 0, inputDesc=1, numInputs=2, outputDesc=3)
    operators(acl).expect_addresses(told, OperatorTask(1, 2, run))
    run.output_blocks = block[:1]
    with pytest.raises(RuleViolation, match="the addresses"):
        operators(acl).expect_addresses(told, OperatorTask(1, 2, run))


@pytest.mark.parametrize(
    ("name", "gear", "shapes", "chosen"),
    [
        ("batch", (2,), [(2, 4)], {"batchSize": 2}),
        ("image_size", (16, 8), [(1, 3, 16, 8)], {"height": 16, "width": 8}),
        ("dim_gears", (2, 8, 2, 8), [(2, 8), (2, 8)], {"dims": {"dimCount": 4, "dims": [2, 8, 2, 8]}}),
    ],
)
def test_a_gear_is_chosen_by_its_own_call(
    name: str, gear: tuple[int, ...], shapes: list[Any], chosen: dict[str, Any]
) -> None:
    made = program(name)
    assert geared_dims(made, gear) == shapes
    control = len(made.inputs) - 1
    run: Any = SimpleNamespace(program=made, id=7, input=9)
    assert gear_arguments(run, gear) == {"modelId": 7, "dataset": 9, "index": control, **chosen}
