"""Products of matrices and vectors."""

from __future__ import annotations

import pytest

from harness.models import Transposed
from harness.models.operators import GEMM_TYPES
from harness.plugin import covers_each, isolated
from suites.operators.products import CALLS, EX_CALLS, FACTORS, MATRIX, SIZES

BOTH = Transposed.A | Transposed.B


@covers_each("result", *CALLS)
@pytest.mark.parametrize("size", SIZES)
def test_product(acl, expect, products, stream, api, size):
    """The product of A and B times alpha is added to C times beta; A, B, alpha and beta stay as they are."""
    product = products.loaded(api, size=size)
    expect.success(acl.call(api, **product.on(stream)))
    products.wait(stream)
    expect.data(product.result(), product.wanted)
    expect.unchanged(*product.input_blocks)


@covers_each("result", *CALLS)
@pytest.mark.parametrize("factors", FACTORS)
def test_factors(acl, expect, products, stream, api, factors):
    """Each of alpha and beta counts, below 0 too."""
    product = products.loaded(api, factors=factors)
    expect.success(acl.call(api, **product.on(stream)))
    products.wait(stream)
    expect.data(product.result(), product.wanted)


@covers_each("async", *CALLS)
def test_does_not_wait(acl, expect, products, stream, blocked_stream, api):
    """On a stream that is held the call returns, and C is written once the stream goes on."""
    product = products.loaded(api)
    with blocked_stream(stream) as hold:
        expect.success(acl.call(api, **product.on(stream)))
        expect.unchanged(*product.output_blocks)
        hold.release()
    products.wait(stream)
    expect.data(product.result(), product.wanted)


@covers_each("async", *CALLS)
def test_one_after_another(acl, expect, products, stream, blocked_stream, api):
    """The second of two products that wait on a stream adds to what the first one has made."""
    product = products.loaded(api, factors=(1, 1), runs=2)
    with blocked_stream(stream) as hold:
        expect.success(acl.call(api, **product.on(stream)))
        expect.success(acl.call(api, **product.on(stream)))
        hold.release()
    products.wait(stream)
    expect.data(product.result(), product.wanted)


@covers_each("trans_a", *CALLS)
@pytest.mark.parametrize("size", SIZES[:2])
def test_transposed_a(acl, expect, products, stream, api, size):
    """A may be stored transposed."""
    product = products.loaded(api, size=size, stored=Transposed.A)
    expect.success(acl.call(api, **product.on(stream)))
    products.wait(stream)
    expect.data(product.result(), product.wanted)


@covers_each("trans_b", *MATRIX)
@pytest.mark.parametrize("size", SIZES[:2])
@pytest.mark.parametrize("stored", [Transposed.B, BOTH], ids=["b", "both"])
def test_transposed_b(acl, expect, products, stream, api, size, stored):
    """B may be stored transposed, with A or without it."""
    product = products.loaded(api, size=size, stored=stored)
    expect.success(acl.call(api, **product.on(stream)))
    products.wait(stream)
    expect.data(product.result(), product.wanted)


@covers_each("type_combinations", *EX_CALLS)
@pytest.mark.parametrize("types", GEMM_TYPES, ids="-".join)
@pytest.mark.parametrize("stored", [Transposed.NONE, Transposed.A], ids=["plain", "transposed"])
def test_types(acl, expect, products, stream, api, types, stored):
    """Halves make halves or floats, bytes make floats or whole numbers of 32 bits."""
    product = products.loaded(api, types=types, stored=stored)
    expect.success(acl.call(api, **product.on(stream)))
    products.wait(stream)
    expect.data(product.result(), product.wanted)


@covers_each("alpha_beta_type", *EX_CALLS)
def test_types_of_factors(acl, expect, products, stream, api):
    """What comes of alpha and beta in another type than C is recorded."""
    expect.observed(products.outcome_with_half_factors(acl, api, stream))


@covers_each("operator_not_loaded", *CALLS)
@isolated("no operator may be loaded in the process")
def test_not_loaded(acl, expect, products, stream, api):
    """Without the loaded operator a product is refused, and C stays as it is."""
    product = products.product(api)
    expect.refused(acl.call(api, **product.on(stream)), unchanged=product.output_blocks)


@covers_each("operator_not_loaded", *CALLS)
@isolated("no other operator may be loaded in the process")
def test_other_loaded(acl, expect, products, stream, api):
    """The loaded operator of matrices of other sizes does not serve."""
    products.loaded(api, size="odd")
    product = products.product(api)
    expect.refused(acl.call(api, **product.on(stream)), unchanged=product.output_blocks)
