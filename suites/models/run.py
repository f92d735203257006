"""A run of a model: its datasets, what goes in, and what has to come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.models import Array, Program, Role, Tensor
from harness.plugin import Block
from suites.computed import Computed


@dataclass(frozen=True)
class Run(Computed):
    """A loaded model with its datasets: what goes in lies on the device, what has to come out is known."""

    id: int
    program: Program
    input: int
    output: int
    input_blocks: tuple[Block, ...]
    output_blocks: tuple[Block, ...]
    input_buffers: tuple[int, ...]
    output_buffers: tuple[int, ...]
    expected: tuple[Array, ...]

    @property
    def datasets(self) -> dict[str, int]:
        """The arguments that every execute call takes."""
        return {"modelId": self.id, "input": self.input, "output": self.output}


def arrays_for(program: Program, seed: int = 1) -> list[Array]:
    """Small whole numbers for the data inputs of a model with fixed shapes: exact in every element type."""
    return [numbers(each, each.dims, seed + index) for index, each in enumerate(data_inputs(program))]


def numbers(tensor: Tensor, dims: tuple[int, ...], seed: int = 1) -> Array:
    """Small whole numbers in a tensor's element type."""
    return np.random.default_rng(seed).integers(0, 5, dims).astype(tensor.dtype)


def data_inputs(program: Program) -> list[Tensor]:
    """The inputs that take the caller's data."""
    return [each for each in program.inputs if each.role is Role.DATA]


def with_controls(program: Program, given: Sequence[Array]) -> list[Array | None]:
    """The data for each input; None for control inputs, which settings fill."""
    data = iter(given)
    return [next(data) if each.role is Role.DATA else None for each in program.inputs]
