"""C programs against the generated headers and the reference library."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from harness.binding import find_reference
from tests.reference.toolchain import CC, CXX, PLAIN, run

PROGRAMS = Path(__file__).parent / "programs"
STRICT = ("-Wall", "-Wextra", "-Werror")


@pytest.fixture(scope="module")
def library() -> Path:
    """The reference library as it is installed; the headers are written anew."""
    found = find_reference()
    assert found is not None, "the reference device is not built"
    PLAIN.generate()
    return found


def c_program(name: str, library: Path, folder: Path) -> Path:
    """A C99 program (with the system calls it needs), linked against the library."""
    program = folder / name
    flags = ("-std=c99", "-D_GNU_SOURCE", *STRICT, f"-I{PLAIN.headers}", f"-Wl,-rpath,{library.parent}")
    run([CC, *flags, PROGRAMS / f"{name}.c", library, "-ldl", "-o", program])
    return program


def outcome(command: list[str | Path], **environment: str) -> subprocess.CompletedProcess[str]:
    """What the program did, within ten seconds."""
    return subprocess.run(
        command, capture_output=True, text=True, timeout=10, check=False, env={**os.environ, **environment}
    )


@pytest.mark.parametrize("profile", ["product=910b", "product=A3", "product=950", "product=910"])
def test_flow(profile: str, library: Path, tmp_path: Path) -> None:
    """Virtual memory, a strided copy and events work from plain C."""
    done = outcome([c_program("flow", library, tmp_path)], ACLREF_PROFILE=profile)
    assert (done.returncode, done.stdout) == (0, "all steps done\n"), done.stdout + done.stderr


def test_the_flow_program_can_fail(library: Path, tmp_path: Path) -> None:
    """With a broken promise the same program does not pass."""
    program = c_program("flow", library, tmp_path)
    fault = "event_wait_ignored"
    done = [outcome([program], ACLREF_FAULT=fault, ACLREF_SEED=str(seed)) for seed in range(8)]
    assert any(one.returncode != 0 for one in done)


@pytest.mark.parametrize("way", ["live", "atexit", "fork"])
def test_exit(way: str, library: Path, tmp_path: Path) -> None:
    """Leaving with live objects, finalising in an exit handler and forking end well."""
    done = outcome([c_program("exit", library, tmp_path), way])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("fault", "way"),
    [
        ("exit_with_live_stream_crashes", "live"),
        ("finalize_at_exit_aborts", "atexit"),
        ("fork_breaks_parent", "fork"),
    ],
)
def test_exit_faults(fault: str, way: str, library: Path, tmp_path: Path) -> None:
    """The faults of process exit really break it."""
    done = outcome([c_program("exit", library, tmp_path), way], ACLREF_FAULT=fault)
    assert done.returncode != 0


def test_load_has_no_side_effects(library: Path, tmp_path: Path) -> None:
    """Loading and initialising change no signal handler, float mode, locale or limit, nor start a thread."""
    program = c_program("load", library, tmp_path)
    done = outcome([program, library])
    assert done.returncode == 0, f"status {done.returncode}: {done.stdout}"
    assert outcome([program, library], ACLREF_FAULT="load_changes_process").returncode == 4


@pytest.mark.parametrize(
    ("variable", "value"),
    [("ACLREF_PROFILE", "product=none"), ("ACLREF_FAULT", "no_such_fault"), ("ACLREF_SEED", "many")],
)
def test_wrong_environment_is_told_at_init(variable: str, value: str, library: Path, tmp_path: Path) -> None:
    """A wrong variable does not stop the load, but aclInit says what is wrong."""
    done = outcome([c_program("flow", library, tmp_path)], **{variable: value})
    assert done.returncode == 1
    assert variable in done.stdout


def test_every_header_stands_alone(library: Path, tmp_path: Path) -> None:
    """Each public header compiles by itself, as C99 and as C++, without a warning."""
    headers = sorted(path.relative_to(PLAIN.headers).as_posix() for path in PLAIN.headers.rglob("*.h"))
    assert "acl/acl.h" in headers
    assert "acl/acl_rt_allocator.h" in headers
    for header in headers:
        for compiler, language, standard in ((CC, "c", "-std=c99"), (CXX, "c++", "-std=c++17")):
            source = tmp_path / f"alone.{language}"
            source.write_text(f'#include "{header}"\n', encoding="utf-8")
            run([compiler, "-x", language, standard, *STRICT, f"-I{PLAIN.headers}", "-fsyntax-only", source])
