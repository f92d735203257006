"""Where the libraries are that the package builds."""

from __future__ import annotations

import os
from pathlib import Path

import harness

LIBRARY_NAME = "libascendcl.so"
REFERENCE_VARIABLE = "ACLCTS_REFERENCE"


def find_reference() -> Path | None:
    """The reference device's library: named by ACLCTS_REFERENCE, installed with the package, or built beside
    it; None where there is none of these.
    """
    return find_built(REFERENCE_VARIABLE, LIBRARY_NAME)


def find_built(variable: str, name: str) -> Path | None:
    """A library that the package builds: named by an environment variable, installed, or built beside it."""
    named = os.environ.get(variable)
    if named:
        return Path(named)
    roots = [Path(entry) for entry in harness.__path__]
    candidates = [root / "_lib" / name for root in roots]
    candidates += [root.parent / "build" / "ref" / name for root in roots]
    return next((candidate for candidate in candidates if candidate.is_file()), None)
