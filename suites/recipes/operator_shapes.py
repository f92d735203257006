"""Valid calls for the shapes of an operator's outputs."""

from __future__ import annotations

from suites.operators.inferring import Inferring
from suites.recipes import Bench, Call, recipe


@recipe("aclopInferShape")
def infer_shape(bench: Bench) -> Call:
    """A sum of two tensors that are broadcast."""
    inferring = Inferring(bench.case.engine.c, bench.case, bench.resources)
    return Call(inferring.question("Add", inferring.numbers(2, 1), inferring.numbers(1, 3)))
