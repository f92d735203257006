"""Programs: what a model file holds, and what numpy makes of it."""

from __future__ import annotations

import numpy as np
import pytest

from harness.models import catalogue, envelope, program


@pytest.mark.parametrize("name", catalogue.NAMES)
def test_the_length_in_the_header_is_that_of_the_payload(name: str) -> None:
    model = program(name).write()
    assert envelope.get_field(model, "length") == len(model) - envelope.HEADER_BYTES


def test_a_model_is_the_same_whenever_it_is_written() -> None:
    assert program("affine").write() == program("affine").write()


def test_an_unknown_model_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        program("add_complex64")


def test_affine_scales_and_shifts() -> None:
    x = np.ones((4, 16), np.float32)
    (y,) = program("affine").compute(x)
    assert np.array_equal(y.reshape(-1), np.arange(64) + 3)


def test_two_outputs_come_in_order() -> None:
    a, b = np.full((2, 8), 3, np.int32), np.full((2, 8), 4, np.int32)
    total, product = program("two_by_two").compute(a, b)
    assert (int(total[0, 0]), int(product[0, 0])) == (7, 12)


def test_integers_wrap() -> None:
    a = np.full((4, 16), 200, np.uint8)
    (y,) = program("add_uint8").compute(a, a)
    assert int(y[0, 0]) == 144


def test_a_bundle_counts_its_header() -> None:
    bundle = envelope.pack_bundle([program("identity").write()])
    assert envelope.get_field(bundle, "length") == len(bundle)


def test_indices_of_what_is_not_zero() -> None:
    (found,) = program("op_where").compute(np.array([0, 2, 0, 3, 0, 0, 0, 1], np.float32))
    assert found.tolist() == [[1], [3], [7]]
    assert found.dtype == np.int64


@pytest.mark.parametrize("marks", ["nn", "tn", "nt", "tt"])
def test_a_product_is_scaled_and_added(marks: str) -> None:
    a, b = np.arange(35, dtype=np.int8).reshape(5, 7), -np.arange(21, dtype=np.int8).reshape(7, 3)
    c = np.ones((5, 3), np.int32)
    stored = (a.T if marks[0] == "t" else a), (b.T if marks[1] == "t" else b)
    made = program(f"op_gemm_5x3x7_int8_int32_{marks}").compute(*stored, c, np.int32(2), np.int32(3))
    assert made[0].tolist() == (2 * (a.astype(int) @ b.astype(int)) + 3).tolist()
    assert made[0].dtype == np.int32


def test_halves_are_multiplied_wider_than_they_are() -> None:
    a, b = np.full((1, 1), 300, np.float16), np.full((1, 1), 300, np.float16)
    one = np.full((), 1, np.float32)
    made = program("op_gemm_1x1x1_float16_float32_nn").compute(a, b, np.zeros((1, 1), np.float32), one, one)
    assert made[0].tolist() == [[90000.0]]
