"""A results folder: one run at a time, nothing appended is lost, an old run is kept."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest

from harness.results import (
    CaseRecord,
    ContractInfo,
    Header,
    ResultsError,
    Store,
    TargetInfo,
    Verdict,
    read_run,
)


def header(run_id: str = "run-1") -> Header:
    return Header(
        schema=1,
        run_id=run_id,
        started=datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc),
        target=TargetInfo(kind="reference", label="reference device", path="libascendcl.so"),
        contract=ContractInfo(version="1.17.0", hash="00"),
    )


def case(number: int, verdict: Verdict = Verdict.PASS, log: str = "") -> CaseRecord:
    return CaseRecord(
        id=f"memory/copy/test_memcpy.py::test_h2d[910b-EP-c-{number}]",
        rules=["memcpy.h2d"],
        api="aclrtMemcpy",
        surface="c",
        product="910b",
        form="EP",
        cann="9.0",
        verdict=verdict,
        log=log,
    )


def test_a_finished_run_reads_back_whole(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "out", header())
    store.append(case(1))
    store.append(case(2, Verdict.FAIL))
    store.finish(1)
    run = read_run(tmp_path / "deep" / "out")
    assert run.cases == [case(1), case(2, Verdict.FAIL)]
    assert run.footer is not None
    assert run.footer.counts == {"fail": 1, "pass": 1}
    assert run.footer.exitstatus == 1
    assert (run.finished, run.truncated) == (True, False)


def test_every_append_is_readable_at_once(tmp_path: Path) -> None:
    with Store(tmp_path, header()) as store:
        store.append(case(1))
        assert read_run(tmp_path).cases == [case(1)]


def test_a_killed_run_keeps_what_it_appended(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:
        store = Store(tmp_path, header())
        store.append(case(1))
        store.append(case(2))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    run = read_run(tmp_path)
    assert [entry.id for entry in run.cases] == [case(1).id, case(2).id]
    assert not run.finished
    Store(tmp_path, header("run-2")).close()


def test_a_second_run_in_the_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    with Store(tmp_path, header()) as store:
        with pytest.raises(
            ResultsError, match=r"in use by another run \(process \d+, run run-1\)"
        ) as refusal:
            Store(tmp_path, header("run-2"))
        assert "\n" not in str(refusal.value)
        store.append(case(1))
    assert read_run(tmp_path).header.run_id == "run-1"


def test_whether_a_folder_can_be_used_is_known_before_it_is_made(tmp_path: Path) -> None:
    Store.check(tmp_path / "new" / "deep")
    assert not (tmp_path / "new").exists()
    in_use = pytest.raises(ResultsError, match=r"in use by another run \(process \d+, run run-1\)")
    with Store(tmp_path, header()), in_use:
        Store.check(tmp_path)
    Store.check(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match=r"not a folder to write to \(Not a directory\)"):
        Store.check(tmp_path / "file")
    with pytest.raises(ResultsError, match=r"not a folder to write to \(File name too long\)"):
        Store.check(tmp_path / ("x" * 300))


def test_a_second_process_is_refused_too(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib; sys.path.insert(0, '.')\n"
        "from tests.results.test_store import header\n"
        "from harness.results import ResultsError, Store\n"
        "try: Store(sys.argv[1], header('run-2'))\n"
        "except ResultsError as error: print(error)\n"
    )
    with Store(tmp_path, header()):
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
        )
    assert "in use by another run" in done.stdout


def test_a_forked_child_does_not_keep_the_folder(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    release = context.Event()
    store = Store(tmp_path, header())
    child = context.Process(target=release.wait, args=(60,))
    child.start()
    try:
        store.finish(0)
        Store(tmp_path, header("run-2")).close()
        assert child.is_alive()
    finally:
        release.set()
        child.join()


def test_a_forked_child_cannot_append(tmp_path: Path) -> None:
    store = Store(tmp_path, header())
    child = os.fork()
    if child == 0:
        try:
            store.append(case(1))
        except ResultsError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    store.finish(0)
    assert read_run(tmp_path).cases == []


def test_the_run_before_is_kept_as_previous(tmp_path: Path) -> None:
    for run_id in ("run-1", "run-2", "run-3"):
        Store(tmp_path, header(run_id)).finish(0)
    assert read_run(tmp_path).header.run_id == "run-3"
    assert read_run(tmp_path / "results.previous.jsonl").header.run_id == "run-2"


@pytest.mark.parametrize("place", ["file/out", "file"])
def test_a_folder_that_cannot_be_one_is_refused_in_one_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match=r"not a folder to write to \(.+\); choose another") as refusal:
        Store(tmp_path / place, header())
    assert "\n" not in str(refusal.value)


def test_a_folder_without_permission_is_refused_in_one_line() -> None:
    with pytest.raises(ResultsError, match=r"^/proc/aclcts-results: not a folder to write to"):
        Store("/proc/aclcts-results", header())


def test_a_full_disk_leaves_whole_records(tmp_path: Path) -> None:
    """A file size limit stands for the full disk: the refused record leaves no half line."""
    store = Store(tmp_path, header())
    store.append(case(1))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (store.path.stat().st_size + 100, hard))
        with pytest.raises(ResultsError, match=r"results\.jsonl: a record cannot be written \(.+\)"):
            store.append(case(2, log="x" * 10_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    store.append(case(3))
    store.finish(0)
    run = read_run(tmp_path)
    assert [entry.id for entry in run.cases] == [case(1).id, case(3).id]
    assert not run.truncated


def test_text_that_was_no_utf8_is_kept_readable(tmp_path: Path) -> None:
    store = Store(tmp_path, header())
    store.append(case(1, log=b"driver \xff\x1b[31m said".decode(errors="surrogateescape")))
    store.finish(0)
    assert read_run(tmp_path).cases[0].log == "driver ?\x1b[31m said"


def test_a_closed_store_refuses_records(tmp_path: Path) -> None:
    store = Store(tmp_path, header())
    store.finish(0)
    store.close()
    with pytest.raises(ResultsError, match="store is closed"):
        store.append(case(1))
