"""aclInit and aclFinalize as a program of its own meets them: as it loads the library, and as it exits."""

from __future__ import annotations

from harness.plugin import covers, surfaces
from suites.runtime.init.programs import run_program


@covers("finalize.after_init")
@surfaces("c")
def test_finalise_at_exit(case, expect):
    """A program that initialises, sets a device and finalises in an exit handler ends well."""
    ended = run_program(case, "exit")
    expect.true("how the program has ended", ended.how, "ended with status 0")


@covers("init.process_untouched")
@surfaces("c")
def test_load(case, expect):
    """Loading and initialising leave signals, floating-point mode, locale, limits and folder as they were."""
    ended = run_program(case, "loaded")
    expect.true("how the program has ended", ended.how, "ended with status 0")
    expect.true("what has changed in the process", ended.printed.strip(), "")
