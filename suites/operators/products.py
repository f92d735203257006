"""Products of matrices and vectors: the arguments of their calls, and what has to come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.models import Array, Transposed
from harness.models.operators import GEMM_SHAPES, GEMV_SHAPES, gemm_name
from harness.plugin import Block, Case
from suites.computed import Computed
from suites.operators.loaded import LoadedOperators

MATRIX = ("aclblasGemmEx", "aclblasHgemm", "aclblasS8gemm")
"""Who multiplies two matrices; the first one takes the types of their elements."""

VECTOR = ("aclblasGemvEx", "aclblasHgemv", "aclblasS8gemv")
"""Who multiplies a matrix and a vector; likewise."""

CALLS = (*MATRIX, *VECTOR)
EX_CALLS = (MATRIX[0], VECTOR[0])


def _makers(apis: Sequence[str]) -> tuple[str, ...]:
    return tuple(api.replace("aclblas", "aclblasCreateHandleFor") for api in apis)


MATRIX_HANDLES = _makers(MATRIX)
VECTOR_HANDLES = _makers(VECTOR)
HANDLES = _makers(CALLS)
"""Who makes handles of the same."""

EX_HANDLES = _makers(EX_CALLS)

SIZES = ("usual", "odd", "one")
"""What the shapes of the models are called, in their order."""

FACTORS = ((2, 3), (1, 0), (0, 2), (-1, -2))
"""alpha and beta."""

_TYPES = {"float16": "ACL_FLOAT16", "float32": "ACL_FLOAT", "int8": "ACL_INT8", "int32": "ACL_INT32"}
_HALVES = ("float16", "float16")
_BYTES = ("int8", "int32")
_RESERVED = -1
_SCALAR_BYTES = 4
"""What CANN reads of alpha and of beta, whatever their type."""

_LARGEST_ELEMENT = 8


@dataclass(frozen=True)
class Product(Computed):
    """One product. `args` are the arguments of its function besides the stream; `blocks` hold A, B, C, alpha
    and beta.
    """

    operator: str
    args: dict[str, Any]
    blocks: tuple[Block, ...]
    output_blocks: tuple[Block, ...]
    expected: tuple[Array, ...]

    @property
    def input_blocks(self) -> tuple[Block, ...]:
        """The others, which are only read."""
        return self.blocks[:2] + self.blocks[3:]

    def result(self) -> bytes:
        """What C holds now; a zero has no sign, for the order of additions decides about it."""
        raw = self.output_blocks[0].read()[: self.expected[0].nbytes]
        return _without_signed_zeros(raw.view(self.expected[0].dtype)).tobytes()

    def on(self, stream: int) -> dict[str, Any]:
        """The arguments of the function that computes it."""
        return {**self.args, "stream": stream}


class Products:
    """Makes products, and loads the operators that compute them."""

    def __init__(self, case: Case, operators: LoadedOperators) -> None:
        self._contract = case.contract
        self._operators = operators
        self._memory = operators.memory

    def loaded(self, api: str, **choices: Any) -> Product:
        """A product whose operator is loaded here; the choices are those of `product`."""
        made = self.product(api, **choices)
        self._operators.load(made.operator)
        return made

    def product(
        self,
        api: str,
        size: str = SIZES[0],
        types: tuple[str, str] | None = None,
        stored: Transposed = Transposed.NONE,
        factors: tuple[int, int] = FACTORS[0],
        seed: int = 1,
        runs: int = 1,
        spacious: bool = False,
    ) -> Product:
        """A product of whole numbers on both sides of 0. `types` are that of A and B and that of the others,
        for functions that take them. So many `runs` are expected, each of which adds to what C holds; a
        `spacious` C has room for the largest elements there are.
        """
        takes_vector = api in VECTOR or api in VECTOR_HANDLES
        shape = (GEMV_SHAPES if takes_vector else GEMM_SHAPES)[SIZES.index(size)]
        types = types or (_BYTES if "S8" in api else _HALVES)
        name = gemm_name(shape, types, stored)
        program = self._operators.models.program(name)
        random = np.random.default_rng(seed)
        data = [random.integers(-4, 5, each.dims).astype(each.dtype) for each in program.inputs[:3]]
        data += [np.array(factor, program.inputs[2].dtype) for factor in factors]
        room = [0, 0, data[2].size * _LARGEST_ELEMENT if spacious else 0, _SCALAR_BYTES, _SCALAR_BYTES]
        blocks = tuple(self._block(each, least) for each, least in zip(data, room, strict=True))
        result = data[2]
        for _ in range(runs):
            (result,) = program.compute(*data[:2], result, *data[3:])
        args = self._arguments(api, shape, types, stored, blocks)
        return Product(name, args, blocks, blocks[2:3], (_without_signed_zeros(result),))

    def _block(self, data: Array, least: int) -> Block:
        """Device memory with these elements, and room for so many bytes."""
        made = self._memory.device(max(data.nbytes, least))
        return made.write(np.ascontiguousarray(data).reshape(-1).view(np.uint8))

    def _arguments(
        self,
        api: str,
        shape: tuple[int, int, int],
        types: tuple[str, str],
        stored: Transposed,
        blocks: Sequence[Block],
    ) -> dict[str, Any]:
        """Whatever a function calls them, in the order of its parameters."""
        m, n, k = shape
        a, b, c, alpha, beta = blocks
        factor, product = (_TYPES[each] for each in types)
        marks = {
            each: "ACL_TRANS_T" if each in stored else "ACL_TRANS_N" for each in (Transposed.A, Transposed.B)
        }
        known = {
            "transA": marks[Transposed.A],
            "transB": marks[Transposed.B],
            "transC": "ACL_TRANS_N",
            "m": m,
            "n": n,
            "k": k,
            "alpha": alpha,
            "beta": beta,
            **dict.fromkeys(("matrixA", "a"), a),
            **dict.fromkeys(("matrixB", "x"), b),
            **dict.fromkeys(("matrixC", "y"), c),
            **dict.fromkeys(("lda", "ldb", "ldc", "incx", "incy"), _RESERVED),
            **dict.fromkeys(("dataTypeA", "dataTypeB", "dataTypeX"), factor),
            **dict.fromkeys(("dataTypeC", "dataTypeY"), product),
            "type": "ACL_COMPUTE_HIGH_PRECISION",
        }
        names = [param.name for param in self._contract.function(api).params]
        if "k" not in names:
            # A vector's function calls the columns of A so.
            known["n"] = k
        return {name: known[name] for name in names if name in known}

    def buffers(self, product: Product) -> dict[str, Any]:
        """The operands as aclopExecWithHandle takes them."""
        made = [self._operators.buffer(block, block.size) for block in product.blocks]
        return {"numInputs": len(made), "inputs": made, "numOutputs": 1, "outputs": made[2:3]}

    def wait(self, stream: int) -> None:
        """Wait until all work of a stream is done."""
        self._operators.wait(stream)

    def outcome_with_half_factors(self, acl: Any, api: str, stream: int) -> str:
        """What comes of alpha and beta that are halves where C has floats, in words."""
        product = self.loaded(api, types=("float16", "float32"))
        for block, factor in zip(product.blocks[3:], FACTORS[0], strict=True):
            block.fill(0).write(np.array([factor], np.float16))
        answer = acl.call(api, **product.on(stream))
        self.wait(stream)
        return f"{answer.code}, {'the' if product.result() == product.wanted else 'not the'} product"


def _without_signed_zeros(values: Array) -> Array:
    return np.asarray(values + values.dtype.type(0))
