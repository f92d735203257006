"""What the recorder keeps of a call, and what its journal keeps when the process dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from harness.binding import CSurface, Journal, Library, read_journal

REPOSITORY = Path(__file__).resolve().parents[2]


def in_child(fake_path: Path, journal: Path, calls: str) -> int:
    """Run calls on the fake library in a child with a journal; its exit status."""
    program = (
        "from harness.binding import CSurface, Journal, open_library\n"
        f"library = open_library({str(fake_path)!r})\n"
        f"library.recorder.journal = Journal({str(journal)!r})\n"
        f"surface = CSurface(library)\n{calls}\n"
    )
    return subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, timeout=60).returncode


def test_a_call_is_decoded_with_names(surface: CSurface) -> None:
    made = surface.aclrtMalloc(size=64, policy="ACL_MEM_MALLOC_HUGE_FIRST")
    (call,) = surface.library.recorder.snapshot()
    assert call["function"] == "aclrtMalloc"
    assert call["args"] == {"devPtr": hex(made.devPtr), "size": 64, "policy": "ACL_MEM_MALLOC_HUGE_FIRST"}
    assert (call["code"], call["result"]) == (0, "ACL_SUCCESS")
    assert call["thread"] == threading.get_ident()
    assert 0 < call["start_ns"] <= call["end_ns"]


def test_a_failing_call_shows_its_code_and_its_untouched_output(surface: CSurface) -> None:
    surface.aclrtMalloc(size=0, policy=77)
    (call,) = surface.library.recorder.snapshot()
    assert call["args"] == {"devPtr": "untouched", "size": 0, "policy": 77}
    assert (call["code"], call["result"]) == (100000, "ACL_ERROR_INVALID_PARAM")


def test_structs_texts_and_callbacks_are_decoded(surface: CSurface) -> None:
    surface.aclInit(configPath="missing.json")
    surface.aclrtMallocPhysical(size=8, prop={"memAttr": "ACL_HBM_MEM_HUGE", "location": {"id": 2}}, flags=0)
    surface.aclrtLaunchCallback(fn=lambda data: None, userData=None, blockType=1, stream=0)
    init, physical, launch = surface.library.recorder.snapshot()
    assert init["args"] == {"configPath": "'missing.json'"}
    assert physical["args"]["prop"]["memAttr"] == "ACL_HBM_MEM_HUGE"
    assert physical["args"]["prop"]["location"] == {"id": 2, "type": "ACL_MEM_LOCATION_TYPE_HOST"}
    assert launch["args"]["fn"] == "callback"
    assert (launch["args"]["userData"], launch["args"]["blockType"]) == ("NULL", "ACL_CALLBACK_BLOCK")


def test_a_function_without_a_code_shows_its_value(surface: CSurface) -> None:
    surface.aclDataTypeSize(dataType="ACL_FLOAT16")
    surface.aclGetRecentErrMsg()
    size, text = surface.library.recorder.snapshot()
    assert (size["args"], size["code"], size["result"]) == ({"dataType": "ACL_FLOAT16"}, None, 2)
    assert (text["code"], text["result"]) == (None, "NULL")


def test_the_raw_function_is_not_recorded(library: Library) -> None:
    assert library.raw("aclrtSetDevice")(0) == 0
    assert len(library.recorder) == 0
    assert library.recorded("aclrtSetDevice")(5) == 107001
    assert library.recorder.records()[0].args == (5,)


def test_the_ring_forgets_when_it_is_cleared(surface: CSurface) -> None:
    surface.aclrtSynchronizeDevice()
    surface.library.recorder.clear()
    assert surface.library.recorder.snapshot() == []


def test_the_ring_keeps_the_last_calls(library: Library) -> None:
    call = library.recorded("aclrtSetDevice")
    codes = [call(number % 2) for number in range(5000)]
    last = library.recorder.records()
    assert len(codes) > len(last) >= 256
    assert last[-1].args == (1,)


def test_calls_of_several_threads_are_all_kept(library: Library) -> None:
    call = library.recorded("aclrtSynchronizeDevice")
    threads = [threading.Thread(target=lambda: [call() for _ in range(100)]) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len({record.thread for record in library.recorder.records()} - {threading.get_ident()}) >= 1
    assert len(library.recorder) == 400


def test_the_interpreter_lock_is_released_in_a_call(surface: CSurface) -> None:
    waiting = threading.Thread(
        target=lambda: surface.aclrtSynchronizeStreamWithTimeout(stream=None, timeout=500)
    )
    waiting.start()
    quick = surface.aclrtSynchronizeDevice()
    assert waiting.is_alive()
    assert quick.ok
    waiting.join()


def test_a_journal_shows_finished_calls(surface: CSurface, tmp_path: Path) -> None:
    surface.library.recorder.journal = Journal(tmp_path / "journal")
    surface.aclrtMalloc(size=0, policy=3)
    surface.aclDataTypeSize(dataType=1)
    malloc, size = read_journal(tmp_path / "journal")
    assert (malloc["function"], malloc["args"][1:], malloc["code"]) == ("aclrtMalloc", ["0", "3"], 100000)
    assert not malloc["unfinished"]
    assert malloc["thread"] == threading.get_ident()
    assert (size["function"], size["code"]) == ("aclDataTypeSize", 2)


def test_a_journal_is_a_ring_of_the_last_calls(surface: CSurface, tmp_path: Path) -> None:
    surface.library.recorder.journal = Journal(tmp_path / "journal", lines=4)
    [surface.aclrtSetDevice(deviceId=number) for number in range(10)]
    assert [call["args"] for call in read_journal(tmp_path / "journal")] == [["6"], ["7"], ["8"], ["9"]]


def test_a_long_call_is_cut(surface: CSurface, tmp_path: Path) -> None:
    surface.library.recorder.journal = Journal(tmp_path / "journal", width=96)
    surface.aclrtMemcpy(dst=0, destMax=0, src=b"x" * 50, count=1, kind=9)
    surface.aclrtSetDevice(deviceId=1)
    assert [call["function"] for call in read_journal(tmp_path / "journal")] == [
        "aclrtMemcpy",
        "aclrtSetDevice",
    ]


def test_a_short_call_after_a_long_one_is_whole(surface: CSurface, tmp_path: Path) -> None:
    surface.library.recorder.journal = Journal(tmp_path / "journal", lines=1)
    surface.aclrtMemcpy(dst=0, destMax=0, src=b"x" * 50, count=1, kind=9)
    surface.aclrtSetDevice(deviceId=1)
    assert [(call["function"], call["args"]) for call in read_journal(tmp_path / "journal")] == [
        ("aclrtSetDevice", ["1"])
    ]


def test_the_call_a_process_was_killed_in_survives(fake_path: Path, tmp_path: Path) -> None:
    calls = "surface.aclrtSetDevice(deviceId=1); surface.aclrtResetDevice(deviceId=1)"
    assert in_child(fake_path, tmp_path / "journal", calls) == -signal.SIGKILL
    first, last = read_journal(tmp_path / "journal")
    assert (first["function"], first["unfinished"]) == ("aclrtSetDevice", False)
    assert (last["function"], last["args"], last["unfinished"]) == ("aclrtResetDevice", ["1"], True)


def test_the_call_a_process_crashed_in_survives(fake_path: Path, tmp_path: Path) -> None:
    calls = "surface.aclrtMemcpy(dst=8, destMax=1, src=16, count=1, kind=0)"
    assert in_child(fake_path, tmp_path / "journal", calls) == -signal.SIGSEGV
    (last,) = read_journal(tmp_path / "journal")
    assert (last["function"], last["args"], last["unfinished"]) == (
        "aclrtMemcpy",
        ["8", "1", "16", "1", "0"],
        True,
    )


@pytest.mark.parametrize("width", [128, 256])
@pytest.mark.parametrize(
    ("args", "told"),
    [
        ((), []),
        ((0, -1, 2**63 - 1, -(2**63)), ["0", "-1", "9223372036854775807", "-9223372036854775808"]),
        ((2**64 - 1, 2**63), ["18446744073709551615", "9223372036854775808"]),
        ((1, None, 2.5), ["1", "NULL", "2.5"]),
    ],
)
@pytest.mark.parametrize(("code", "told_code"), [(0, 0), (-3, -3), (2**63, 2**63), (None, None)])
def test_a_journal_tells_numbers_of_any_size(
    tmp_path: Path,
    width: int,
    args: tuple[Any, ...],
    told: list[str],
    code: int | None,
    told_code: int | None,
) -> None:
    journal = Journal(tmp_path / "journal", width=width)
    journal.finish(journal.start("aclrtFirst", args), code, "aclrtFirst", args)
    journal.start("aclrtFirst", (7,))
    done, begun = read_journal(tmp_path / "journal")
    assert (done["sequence"], done["function"], done["unfinished"]) == (0, "aclrtFirst", False)
    assert (done["args"], begun["args"]) == (told, ["7"])
    assert done["code"] == told_code or (code == 2**63 and done["code"] is None)
    assert (begun["sequence"], begun["unfinished"], begun["code"]) == (1, True, None)


def test_a_foreign_file_is_no_journal(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("hello\n")
    with pytest.raises(ValueError, match="notes: not a call journal"):
        read_journal(tmp_path / "notes")


def test_a_journal_in_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        Journal(os.path.join(tmp_path, "none", "journal"))
