"""The loader under fuzzing: mutants of every kind of model, with address and undefined-behaviour sanitizers.

`ACLCTS_FUZZ_MODELS` says how many mutants are tried, `ACLCTS_FUZZ_SEED` which.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from harness.models import OwnShelf, catalogue, program
from harness.models.operators import PRODUCTS
from tests.reference.toolchain import ADDRESS, REFERENCE

MUTANTS = int(os.environ.get("ACLCTS_FUZZ_MODELS", "2000"))
SEED = int(os.environ.get("ACLCTS_FUZZ_SEED", "1"))
TOO_LARGE_OR_SLOW = ("large", "slow", "external")
DEADLINE_S = 60 + MUTANTS / 20


def write_seeds(folder: Path) -> None:
    """A file of every kind of model, and a bundle."""
    for name in catalogue.NAMES:
        if name not in (*TOO_LARGE_OR_SLOW, *catalogue.TYPED_NAMES, *PRODUCTS):
            (folder / f"{name}.om").write_bytes(program(name).write())
    for name in ("add_int32", "matmul_float16", "reduce_float64", "op_gemm_5x3x7_int8_int32_tn"):
        (folder / f"{name}.om").write_bytes(program(name).write())
    (folder / "bundle.om").write_bytes(OwnShelf(folder.parent / "shelf").file("bundle").read_bytes())


def test_mutants(tmp_path: Path) -> None:
    """No mutant crashes the loader or leaves anything behind, and each refusal is of a documented class."""
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    (tmp_path / "shelf").mkdir()
    write_seeds(seeds)
    ADDRESS.make_library()
    fuzz = ADDRESS.make_program(REFERENCE / "tests" / "model_fuzz.cpp")
    done = subprocess.run(
        [fuzz, seeds, str(MUTANTS), str(SEED)],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    assert "Sanitizer" not in done.stderr, done.stderr
    assert " 0 failed" in done.stdout
