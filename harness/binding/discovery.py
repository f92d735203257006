"""Where the reference device's library is."""

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
    named = os.environ.get(REFERENCE_VARIABLE)
    if named:
        return Path(named)
    roots = [Path(entry) for entry in harness.__path__]
    candidates = [root / "_lib" / LIBRARY_NAME for root in roots]
    candidates += [root.parent / "build" / "ref" / LIBRARY_NAME for root in roots]
    return next((candidate for candidate in candidates if candidate.is_file()), None)
