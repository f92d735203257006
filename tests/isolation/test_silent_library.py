"""A library that says yes to everything and does nothing passes only what nothing is enough for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.contract import load
from harness.results import Verdict
from tests.isolation.hostile import Timed, run

# Promises that doing nothing keeps: nothing is reported, nothing is told, twice is as good as once.
KEPT_BY_DOING_NOTHING = {
    "dump_get_path.none_null",
    "dump_reg_callback.accepted",
    "finalize.after_init",
    "get_recent_err_msg.none",
    "init_dump.cycle",
    "log_check_debug_level.monotonic",
    "op_set_compile_flag.accepted",
    "op_set_max_op_queue_num.accepted",
    "op_stop_dump_args.pair",
    "prof_str2_id.stable",
    "set_compileopt.accepted",
    "snap_shot_process_lock.full_cycle_repeat",
}
WORDS = ["suites", "--tier", "smoke", "--sku", "910b", "--surface", "c", "-n", "2", "--report", "none"]


def silent_library(folder: Path) -> Path:
    """Every function of the contract, giving back 0 and writing nothing."""
    source, library = folder / "silent.c", folder / "libascendcl.so"
    lines = (f"unsigned long long {name}(void) {{ return 0; }}" for name in load().functions)
    source.write_text("\n".join(lines) + "\n")
    compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
    subprocess.run([compiler, "-shared", "-fPIC", "-w", "-o", library, source], check=True)
    return library


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Timed:
    folder = tmp_path_factory.mktemp("silent")
    return run(WORDS, silent_library(folder), folder / "results", 10)


def test_it_passes_only_what_nothing_is_enough_for(silent: Timed) -> None:
    passed = {rule for case in silent.run.cases if case.verdict is Verdict.PASS for rule in case.rules}
    assert passed <= KEPT_BY_DOING_NOTHING
    assert sum(case.verdict is Verdict.FAIL for case in silent.run.cases) > 300


def test_what_it_never_wrote_is_told_as_no_fact(silent: Timed) -> None:
    assert "devices" not in silent.run.header.environment
