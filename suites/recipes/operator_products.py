"""Valid calls of products of matrices and vectors."""

from __future__ import annotations

from collections.abc import Callable

from suites.operators.loaded import LoadedOperators
from suites.operators.products import CALLS, HANDLES, Product, Products
from suites.recipes import Bench, Call, recipe


def _product(bench: Bench, api: str) -> Product:
    """A product of the usual size, with its operator where the product of the matrix has the function."""
    products = Products(bench.case, LoadedOperators(bench.case, bench.resources))
    make = products.loaded if bench.case.supports(api) else products.product
    return make(api, spacious=True)


def _executing(api: str) -> Callable[[Bench], Call]:
    """A product of two matrices, or of a matrix and a vector."""

    def make(bench: Bench) -> Call:
        product, stream = _product(bench, api), bench.stream()
        return Call(
            product.on(stream),
            watch=product.output_blocks,
            settle=lambda: bench.case.engine.c.call("aclrtSynchronizeStream", stream=stream),
        )

    return make


def _handle(api: str) -> Callable[[Bench], Call]:
    """A handle of the same."""

    def make(bench: Bench) -> Call:
        c = bench.case.engine.c
        return Call(
            _product(bench, api).args, undo=lambda result: c.call("aclopDestroyHandle", handle=result.handle)
        )

    return make


for _api in CALLS:
    recipe(_api)(_executing(_api))
for _api in HANDLES:
    recipe(_api)(_handle(_api))
