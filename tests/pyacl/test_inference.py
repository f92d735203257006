"""A program for pyACL, as its users write them, runs unchanged on the drop-in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from harness.binding import find_reference
from harness.models import OwnShelf, program

SCRIPT = Path(__file__).parent / "scripts" / "inference.py"

REFERENCE = find_reference()


@pytest.mark.skipif(REFERENCE is None, reason="the reference device is not installed")
@pytest.mark.parametrize("name", ["identity", "affine", "reduce_float32"])
def test_script(name: str, tmp_path: Path) -> None:
    """From init to finalize every call succeeds, and the result is numpy's."""
    model = program(name)
    data = np.arange(np.prod(model.inputs[0].dims), dtype=np.float32).reshape(model.inputs[0].dims)
    source, target = tmp_path / "in.bin", tmp_path / "out.bin"
    source.write_bytes(data.tobytes())
    file = OwnShelf(tmp_path).file(name)
    command = [sys.executable, "-m", "harness.pyacl", "--library", str(REFERENCE), str(SCRIPT)]
    done = subprocess.run(
        [*command, str(file), str(source), str(target)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert target.read_bytes() == model.compute(data)[0].tobytes()
