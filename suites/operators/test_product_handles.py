"""Handles of products of matrices and vectors."""

from __future__ import annotations

import pytest

from harness.models import Transposed
from harness.models.operators import GEMM_TYPES
from harness.plugin import covers_each, isolated
from suites.operators.loaded import WITH_HANDLE
from suites.operators.products import EX_HANDLES, HANDLES, MATRIX_HANDLES, SIZES

BOTH = Transposed.A | Transposed.B


@covers_each("handle_executes", *HANDLES, uses=(WITH_HANDLE, "aclopDestroyHandle"))
@pytest.mark.parametrize("size", SIZES)
def test_handle(acl, expect, products, stream, api, size):
    """A handle of a product computes it."""
    product = products.loaded(api, size=size)
    made = expect.success(acl.call(api, **product.args))
    expect.success(acl.aclopExecWithHandle(handle=made.handle, **products.buffers(product), stream=stream))
    products.wait(stream)
    expect.data(product.result(), product.wanted)


@covers_each("handle_executes", *HANDLES, uses=(WITH_HANDLE, "aclopDestroyHandle"))
def test_other_matrices(acl, expect, products, stream, blocked_stream, api):
    """Two runs of a handle that wait on a stream compute what belongs to the matrices of each."""
    first, second = products.loaded(api), products.product(api, seed=2)
    handle = expect.success(acl.call(api, **first.args)).handle
    with blocked_stream(stream) as hold:
        expect.success(acl.aclopExecWithHandle(handle=handle, **products.buffers(first), stream=stream))
        expect.success(acl.aclopExecWithHandle(handle=handle, **products.buffers(second), stream=stream))
        hold.release()
    products.wait(stream)
    expect.data(first.result() + second.result(), first.wanted + second.wanted)


@covers_each("trans_a", *HANDLES, uses=(WITH_HANDLE, "aclopDestroyHandle"))
@pytest.mark.parametrize("size", SIZES[:2])
def test_transposed_a(acl, expect, products, stream, api, size):
    """A may be stored transposed."""
    product = products.loaded(api, size=size, stored=Transposed.A)
    made = expect.success(acl.call(api, **product.args))
    expect.success(acl.aclopExecWithHandle(handle=made.handle, **products.buffers(product), stream=stream))
    products.wait(stream)
    expect.data(product.result(), product.wanted)


@covers_each("trans_b", *MATRIX_HANDLES, uses=(WITH_HANDLE, "aclopDestroyHandle"))
@pytest.mark.parametrize("size", SIZES[:2])
@pytest.mark.parametrize("stored", [Transposed.B, BOTH], ids=["b", "both"])
def test_transposed_b(acl, expect, products, stream, api, size, stored):
    """B may be stored transposed, with A or without it."""
    product = products.loaded(api, size=size, stored=stored)
    made = expect.success(acl.call(api, **product.args))
    expect.success(acl.aclopExecWithHandle(handle=made.handle, **products.buffers(product), stream=stream))
    products.wait(stream)
    expect.data(product.result(), product.wanted)


@covers_each("type_combinations", *EX_HANDLES, uses=(WITH_HANDLE, "aclopDestroyHandle"))
@pytest.mark.parametrize("types", GEMM_TYPES, ids="-".join)
@pytest.mark.parametrize("stored", [Transposed.NONE, Transposed.A], ids=["plain", "transposed"])
def test_types(acl, expect, products, stream, api, types, stored):
    """Halves make halves or floats, bytes make floats or whole numbers of 32 bits."""
    product = products.loaded(api, types=types, stored=stored)
    made = expect.success(acl.call(api, **product.args))
    expect.success(acl.aclopExecWithHandle(handle=made.handle, **products.buffers(product), stream=stream))
    products.wait(stream)
    expect.data(product.result(), product.wanted)


@covers_each("operator_not_loaded", *HANDLES)
@isolated("no operator may be loaded in the process")
def test_not_loaded(acl, expect, products, api):
    """Without the loaded operator there is no handle."""
    expect.refused(acl.call(api, **products.product(api).args))
