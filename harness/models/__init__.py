"""Offline models for the suites: small programs in the envelope of an offline model file.

`program("affine").write()` is the file, `.compute(x)` what numpy makes of it, `check(data)` what is wrong
with any file.
"""

from harness.models import catalogue, envelope, kernels
from harness.models.catalogue import program
from harness.models.compiler import CompilerShelf
from harness.models.program import Array, GearKind, Op, Program, Role, Step, Tensor, Transposed, Value
from harness.models.shelf import GivenShelf, NoModel, OwnShelf, Shelf
from harness.models.validator import Problem, check

__all__ = [
    "Array",
    "CompilerShelf",
    "GearKind",
    "GivenShelf",
    "NoModel",
    "Op",
    "OwnShelf",
    "Problem",
    "Program",
    "Role",
    "Shelf",
    "Step",
    "Tensor",
    "Transposed",
    "Value",
    "catalogue",
    "check",
    "envelope",
    "kernels",
    "program",
]
