"""A recorded case as a standalone program: its calls again, and what must be in the memory they used."""

from harness.results.repro.c_program import c_source
from harness.results.repro.python_program import python_source
from harness.results.repro.trace import program_of
from harness.results.repro.values import Program, ReproError

__all__ = ["Program", "ReproError", "c_source", "program_of", "python_source"]
