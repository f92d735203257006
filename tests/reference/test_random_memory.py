"""Random allocations, copies and mappings of eight threads against a model of memory, under the sanitizers.

A failure names the seed: `ACLCTS_STRESS_SEED=N` draws the same operations again.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.reference.memory_model import as_text, checksum, content, program
from tests.reference.toolchain import ADDRESS, REFERENCE, THREAD, Build

SOURCE = Path(__file__).parent / "programs" / "random_memory.cpp"
THREADS, OPERATIONS = 8, 10_000
SEED = int(os.environ.get("ACLCTS_STRESS_SEED", "1"))


def executed(
    build: Build, folder: Path, seed: int, threads: int, count: int, fault: str = ""
) -> subprocess.CompletedProcess[str]:
    """How the operations of a seed have gone on the library of a build."""
    build.make_library()
    file = folder / "operations"
    file.write_text(as_text(program(seed, threads, count)))
    return subprocess.run(
        [build.make_program(SOURCE, REFERENCE / "tests"), file, str(seed)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, **({"ACLREF_FAULT": fault} if fault else {})},
    )


@pytest.mark.parametrize("build", [ADDRESS, THREAD], ids=lambda build: build.name)
def test_every_read_gives_what_the_model_says(build: Build, tmp_path: Path) -> None:
    done = executed(build, tmp_path, SEED, THREADS, OPERATIONS)
    told = f"ACLCTS_STRESS_SEED={SEED}\n{done.stdout}{done.stderr}"
    assert done.returncode == 0, told
    assert "Sanitizer" not in done.stderr, told
    assert " 0 failed" in done.stdout


@pytest.mark.parametrize("fault", ["copy_d2d_rounded_down", "memcpy_returns_early"])
def test_a_broken_copy_is_noticed(fault: str, tmp_path: Path) -> None:
    done = executed(ADDRESS, tmp_path, SEED, 2, 200, fault)
    assert done.returncode == 1
    assert "reads something else" in done.stderr


def test_a_seed_draws_the_same_operations_again() -> None:
    first = program(5, 2, 300)
    assert first == program(5, 2, 300) != program(6, 2, 300)
    assert first[0] != first[1]
    kinds = {line.split()[0] for lines in first for line in lines}
    assert kinds >= {
        "allocate",
        "map",
        "free",
        "read",
        "write",
        "fill",
        "copy",
        "copy_later",
        "fill_later",
        "wait",
    }


def test_the_checksum_tells_lost_doubled_and_displaced_bytes() -> None:
    data = content(3, 100)
    others = [np.roll(data, 1), data[:-1], np.append(data, data[-1:]), np.where(np.arange(100) == 7, 0, data)]
    assert len({checksum(each) for each in [data, *others]}) == 5
