"""The helpers of the suites of products: whole arguments, and results that tell what differs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.contract import load
from harness.models import Array, Transposed, program
from suites.operators.products import CALLS, EX_CALLS, FACTORS, HANDLES, SIZES, Product, Products

CONTRACT = load()


class Block:
    """Memory of the test's own."""

    def __init__(self, size: int) -> None:
        self.data: Array = np.zeros(size, np.uint8)

    @property
    def size(self) -> int:
        return len(self.data)

    def write(self, data: Array) -> Block:
        self.data[: len(data)] = data
        return self

    def read(self) -> Array:
        return self.data


def products() -> Products:
    case: Any = SimpleNamespace(contract=CONTRACT)
    loaded: Any = SimpleNamespace(
        models=SimpleNamespace(program=program),
        memory=SimpleNamespace(device=Block),
        buffer=lambda block, size: size,
    )
    return Products(case, loaded)


def hold(product: Product, values: Array) -> None:
    """Put these elements where the product has C."""
    block: Any = product.output_blocks[0]
    block.write(values.reshape(-1).view(np.uint8))


@pytest.mark.parametrize("api", [*CALLS, *HANDLES])
def test_every_parameter_but_the_outputs_has_a_value(api: str) -> None:
    names = [param.name for param in CONTRACT.function(api).params if param.name not in ("handle", "stream")]
    assert list(products().product(api).args) == names


def test_a_vector_is_as_long_as_the_rows_of_its_matrix() -> None:
    product = products().product("aclblasHgemv")
    assert (product.args["m"], product.args["n"], product.args["x"].size) == (16, 32, 2 * 32)


def test_a_matrix_that_is_stored_transposed_is_marked() -> None:
    args = products().product("aclblasHgemm", stored=Transposed.B).args
    assert [args[name] for name in ("transA", "transB", "transC")] == [
        "ACL_TRANS_N",
        "ACL_TRANS_T",
        "ACL_TRANS_N",
    ]


@pytest.mark.parametrize("api", CALLS)
@pytest.mark.parametrize(
    ("size", "factors"), [*((size, FACTORS[0]) for size in SIZES), *(("usual", each) for each in FACTORS)]
)
def test_what_was_there_before_is_not_the_product(api: str, size: str, factors: tuple[int, int]) -> None:
    product = products().product(api, size=size, factors=factors)
    assert product.result() != product.wanted
    hold(product, product.expected[0])
    assert product.result() == product.wanted


def test_a_zero_has_no_sign() -> None:
    product = products().product("aclblasHgemv", factors=(0, 0))
    hold(product, np.full((16, 1), -0.0, np.float16))
    assert product.result() == product.wanted


def test_a_second_run_adds_to_the_first() -> None:
    once, twice = (products().product("aclblasS8gemv", factors=(1, 1), runs=runs) for runs in (1, 2))
    before: Any = once.output_blocks[0]
    assert (twice.expected[0] == 2 * once.expected[0] - before.data.view(np.int32).reshape(16, 1)).all()


@pytest.mark.parametrize("api", EX_CALLS)
def test_types_are_told(api: str) -> None:
    args = products().product(api, types=("int8", "float32")).args
    assert [value for name, value in args.items() if name.startswith("dataType")] == ["ACL_INT8"] * 2 + [
        "ACL_FLOAT"
    ]


def test_a_handle_takes_five_inputs_and_gives_one_output() -> None:
    made = products()
    sizes = made.buffers(made.product("aclblasCreateHandleForHgemm"))
    assert (sizes["inputs"], sizes["outputs"]) == ([1024, 1024, 512, 4, 4], [512])
