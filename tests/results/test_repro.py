"""Repro programs: what a trace becomes, and that the programs compile and show what was recorded.

The C programs are built with our generated headers alone, and every warning is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.binding import find_reference
from harness.contract import load
from harness.results import Call, CaseRecord, Verdict
from harness.results.repro import ReproError, c_source, program_of, python_source
from harness.results.repro.values import Array, Inside, Null, Number, Output, Text, Variable, Wild
from tests.fakes.runs import fake_library
from tests.reference.toolchain import CC, PLAIN, run

from .test_store import case, header

CONTRACT = load()
DEVICE, PINNED, HOST, STREAM = "0x7eeb40000000", "0x7f2771300000", "0x55b0522f7040", "0x41636c0000000d70"
CREATE = ("aclrtCreateStream", {"stream": STREAM}, 0)
MALLOC = ("aclrtMalloc", {"devPtr": DEVICE, "size": 4096, "policy": "ACL_MEM_MALLOC_HUGE_FIRST"}, 0)
PIN = ("aclrtMallocHost", {"hostPtr": PINNED, "size": 512}, 0)
FILL = ("aclrtMemset", {"devPtr": DEVICE, "maxCount": 4096, "value": 238, "count": 4096}, 0)


def copy(target: str, source: str, count: int, kind: str, code: int = 0) -> tuple[str, dict[str, Any], int]:
    args = {"dst": target, "destMax": count, "src": source, "count": count, "kind": kind}
    return "aclrtMemcpy", args, code


def failed(
    *calls: tuple[str, dict[str, Any], int | None],
    verdict: Verdict = Verdict.FAIL,
    reason: str = "",
    **more: Any,
) -> CaseRecord:
    """A case with these calls, one after the other, of one thread."""
    made = [
        Call(
            function=name,
            args=args,
            code=code,
            thread=1,
            start_ns=10 * number + 1,
            end_ns=10 * number + 5,
            returned=code is not None,
        )
        for number, (name, args, code) in enumerate(calls)
    ]
    return msgspec.structs.replace(case(1, verdict), calls=made, reason=reason, **more)


def arguments(record: CaseRecord, number: int) -> Sequence[object]:
    return program_of(record, CONTRACT).steps[number].args


# --- what a trace means -------------------------------------------------------------------------------


def test_handles_and_addresses_are_found_again() -> None:
    record = failed(CREATE, MALLOC, ("aclrtSynchronizeStream", {"stream": STREAM}, 0), FILL)
    assert arguments(record, 0) == [Output("stream_1", "aclrtStream")]
    assert arguments(record, 2) == [Variable("stream_1")]
    assert arguments(record, 3)[0] == Inside("devPtr_2", 0)


def test_an_address_inside_a_block_is_its_offset() -> None:
    into = hex(int(DEVICE, 16) + 320)
    program = program_of(failed(MALLOC, copy(into, HOST, 7, "ACL_MEMCPY_HOST_TO_DEVICE")), CONTRACT)
    target, room, source, count, kind = program.steps[1].args
    assert target == Inside("devPtr_1", 320)
    assert isinstance(source, Inside)
    assert (room, count, kind) == (Number(7), Number(7), Number(1, "ACL_MEMCPY_HOST_TO_DEVICE"))
    (own,) = (area for area in program.areas if area.kind == "host")
    assert own.base <= int(HOST, 16)
    assert own.base + own.size >= int(HOST, 16) + 7


def test_a_block_that_lies_where_an_old_one_was_is_the_new_one() -> None:
    free = ("aclrtFree", {"devPtr": DEVICE}, 0)
    program = program_of(failed(MALLOC, free, MALLOC, FILL), CONTRACT)
    assert program.steps[1].args == [Inside("devPtr_1", 0)]
    assert program.steps[3].args[0] == Inside("devPtr_3", 0)


def test_wild_and_null_addresses_stay_what_they_are() -> None:
    record = failed(copy("NULL", "0x1234", 1, "ACL_MEMCPY_DEFAULT", 107000))
    assert list(arguments(record, 0))[:3] == [Null(), Number(1), Wild(0x1234)]


def test_a_context_nobody_made_is_the_current_one() -> None:
    program = program_of(failed(("aclrtSetCurrentContext", {"context": "0x41636c0000000009"}, 0)), CONTRACT)
    assert program.wants_context
    assert program.steps[0].args == [Variable("context")]


def test_texts_and_arrays_are_made_again() -> None:
    batch = {
        "dsts": [DEVICE, HOST],
        "destMaxs": [1, 2],
        "srcs": [PINNED],
        "sizes": [1],
        "numBatches": 1,
        "attrs": [],
        "attrsIndexes": [0],
        "numAttrs": 1,
        "failIndex": 0,
    }
    args = arguments(failed(MALLOC, PIN, ("aclrtMemcpyBatch", batch, 0)), 2)
    assert isinstance(args[0], Array)
    assert args[0].values[0] == Inside("devPtr_1", 0)
    text = arguments(failed(("aclrtIpcMemClose", {"key": "'ab\\x00c'"}, 0)), 0)
    assert text == [Text("ab\0c")]


def test_a_number_behind_an_address_is_a_variable() -> None:
    option = {"handle": STREAM, "attr": "ACL_MDL_LOAD_TYPE_SIZET", "attrValue": 3, "valueSize": 8}
    args = arguments(failed(("aclmdlSetConfigOpt", option, 0)), 0)
    assert args[2] == Array("attrValue_1", "uint64_t", (Number(3),))


def test_calls_are_in_the_order_they_began() -> None:
    record = failed(CREATE, MALLOC)
    record.calls.reverse()
    assert [step.function for step in program_of(record, CONTRACT).steps] == [
        "aclrtCreateStream",
        "aclrtMalloc",
    ]


def test_a_trace_that_sets_the_device_up_itself_is_left_alone() -> None:
    assert program_of(failed(CREATE), CONTRACT).sets_up
    assert not program_of(failed(("aclInit", {"configPath": "NULL"}, 0), CREATE), CONTRACT).sets_up
    assert not program_of(failed(CREATE), CONTRACT, bare=True).sets_up


CANNOT = {
    "no calls": (case(1, Verdict.FAIL), "the record has no calls"),
    "another function": (failed(("acl.rt.x", {}, 0)), "is no function of the contract"),
    "half an array": (
        failed(("aclrtMemcpyBatch", {"dsts": ["NULL", "… 4 more"]}, 0)),
        "the array is not whole in the record",
    ),
    "half a text": (failed(("aclrtIpcMemClose", {"key": "'abc"}, 0)), "the text is not whole"),
    "an argument": (failed(("aclrtMemcpy", {"dst": DEVICE}, 0)), "the record of aclrtMemcpy lacks destMax"),
    "something else": (failed(("aclrtFree", {"devPtr": "<object>"}, 0)), "'<object>' cannot be made again"),
}


@pytest.mark.parametrize("name", CANNOT)
def test_what_cannot_be_repeated_is_one_line(name: str) -> None:
    record, message = CANNOT[name]
    with pytest.raises(ReproError, match=message) as refusal:
        program_of(record, CONTRACT)
    assert "\n" not in str(refusal.value)


def test_nothing_in_a_record_leaves_the_comment() -> None:
    hostile = '*/ int main(void) { return 0; } /* \\\n"""\nimport os\n\x1b[31m'
    record = failed(CREATE, reason=hostile)
    source = c_source(program_of(record, CONTRACT), record, header(), CONTRACT)
    assert source.index("*/") == source.index(" */\n#define _GNU_SOURCE") + 1
    assert "\x1b" not in source
    script = python_source(program_of(record, CONTRACT), record, header(), CONTRACT)
    compile(script, "repro.py", "exec")
    assert script.split('"""')[1].count("import os") == 1


def test_ten_megabytes_of_reason_are_cut() -> None:
    record = failed(CREATE, reason="x" * 10_000_000)
    assert len(c_source(program_of(record, CONTRACT), record, header(), CONTRACT)) < 20_000


def test_a_text_cannot_leave_its_literal() -> None:
    record = failed(("aclrtIpcMemClose", {"key": repr('");\nabort();//??/\\')}, 0))
    source = c_source(program_of(record, CONTRACT), record, header(), CONTRACT)
    assert "abort();//" in source
    assert '(");' not in source


# --- the programs ------------------------------------------------------------------------------------------


def built(source: str, library: Path, folder: Path) -> Path:
    PLAIN.generate()
    (folder / "repro.c").write_text(source, encoding="utf-8")
    flags = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{PLAIN.headers}")
    run(
        [
            CC,
            *flags,
            folder / "repro.c",
            library,
            f"-Wl,-rpath,{library.parent}",
            "-lpthread",
            "-o",
            folder / "repro",
        ]
    )
    return folder / "repro"


def shown(record: CaseRecord, folder: Path, fault: str = "", library: Path | None = None) -> tuple[int, str]:
    """Exit status and output of a record's C program on the reference device, or another library."""
    used = library or find_reference()
    assert used is not None
    program = built(c_source(program_of(record, CONTRACT), record, header(), CONTRACT), Path(used), folder)
    return outcome([program], fault)


def outcome(command: Sequence[str | Path], fault: str) -> tuple[int, str]:
    environment = {"ACLREF_PROFILE": "product=910b;form=EP", "ACLREF_FAULT": fault, "FAKE_ACL": fault}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=100, env={**os.environ, **environment}, check=False
    )
    return done.returncode, done.stdout + done.stderr


def lost_tail() -> CaseRecord:
    """A copy to the device and back, whose last byte was recorded to be missing."""
    calls = (
        *(CREATE, MALLOC, FILL),
        copy(DEVICE, HOST, 100, "ACL_MEMCPY_HOST_TO_DEVICE"),
        copy(hex(int(HOST, 16) + 4096), DEVICE, 100, "ACL_MEMCPY_DEVICE_TO_HOST"),
    )
    return failed(*calls, reason="observed: 1 of 100 bytes differ")


def test_lost_bytes_show(tmp_path: Path) -> None:
    status, said = shown(lost_tail(), tmp_path, "copy_h2d_tail_lost")
    assert status == 0, said
    assert "1 of 4096 bytes are not what they must be, the first at +99" in said
    assert said.endswith("shows what was recorded\n")


def test_a_device_that_works_does_not_show_them(tmp_path: Path) -> None:
    status, said = shown(lost_tail(), tmp_path)
    assert status == 1
    assert said.endswith("does not show what was recorded\n")


def test_a_write_next_to_the_target_shows(tmp_path: Path) -> None:
    name, args, code = copy(DEVICE, HOST, 100, "ACL_MEMCPY_HOST_TO_DEVICE")
    calls = (MALLOC, FILL, (name, {**args, "destMax": 4096}, code))
    record = failed(*calls, reason="1 guard bytes after it were written")
    status, said = shown(record, tmp_path, "memcpy_tail_overrun")
    assert status == 0, said
    assert "the first at +100" in said


def test_a_lost_piece_of_a_batch_shows(tmp_path: Path) -> None:
    far = hex(int(HOST, 16) + 4096)
    batch: dict[str, Any] = {
        "dsts": [DEVICE, hex(int(DEVICE, 16) + 64)],
        "destMaxs": [8, 8],
        "srcs": [HOST, far],
        "sizes": [8, 8],
        "numBatches": 2,
        "attrsIndexes": [0],
        "numAttrs": 1,
        "failIndex": 0,
        "attrs": [{"dstLoc": place("DEVICE"), "srcLoc": place("HOST"), "rsv": [0] * 16}],
    }
    record = failed(MALLOC, FILL, ("aclrtMemcpyBatch", batch, 0), reason="bytes differ")
    status, said = shown(record, tmp_path, "batch_piece_lost")
    assert status == 0, said
    assert "the first at +" in said
    assert shown(record, tmp_path)[0] == 1


def place(where: str) -> dict[str, Any]:
    return {"id": 0, "type": f"ACL_MEM_LOCATION_TYPE_{where}"}


def test_a_stream_that_waits_is_not_waited_for(tmp_path: Path) -> None:
    wait = ("aclrtValueWait", {"devAddr": DEVICE, "value": 5, "flag": 0, "stream": STREAM}, 0)
    record = failed(CREATE, MALLOC, FILL, wait, copy(DEVICE, HOST, 8, "ACL_MEMCPY_HOST_TO_DEVICE"))
    source = c_source(program_of(record, CONTRACT), record, header(), CONTRACT)
    assert "aclrtSynchronizeDevice" not in source.partition("int main")[2]


def test_a_copy_that_lets_a_stream_go_on_copies_what_it_waits_for(tmp_path: Path) -> None:
    gate = hex(int(DEVICE, 16) + 64)
    calls = (
        *(CREATE, MALLOC, FILL),
        ("aclrtValueWait", {"devAddr": gate, "value": 7, "flag": 1, "stream": STREAM}, 0),
        copy(gate, HOST, 8, "ACL_MEMCPY_HOST_TO_DEVICE"),
        ("aclrtSynchronizeStream", {"stream": STREAM}, 0),
    )
    status, said = shown(failed(*calls), tmp_path)
    assert status == 0, said


def test_another_code_is_told(tmp_path: Path) -> None:
    record = failed(MALLOC, copy(DEVICE, "NULL", 8, "ACL_MEMCPY_HOST_TO_DEVICE", 0))
    status, said = shown(record, tmp_path)
    assert status == 1
    assert "aclrtMemcpy -> 100000   (another one was recorded)" in said
    assert shown(record, tmp_path, "memcpy_null_accepted")[0] == 0


def test_memory_that_is_given_back_is_looked_into_before(tmp_path: Path) -> None:
    free = ("aclrtFree", {"devPtr": DEVICE}, 0)
    calls = (MALLOC, FILL, copy(DEVICE, HOST, 100, "ACL_MEMCPY_HOST_TO_DEVICE"), free)
    record = failed(*calls, reason="bytes differ")
    status, said = shown(record, tmp_path, "copy_h2d_tail_lost")
    assert status == 0, said


def test_threads_are_those_of_the_record(tmp_path: Path) -> None:
    """The second thread has no context of its own, and one that hangs is no barrier to the other."""
    record = failed(MALLOC, ("aclrtGetCurrentContext", {"context": "untouched"}, 107002), FILL)
    record.calls[1].thread = 2
    status, said = shown(record, tmp_path)
    assert status == 0, said
    assert "pthread_create" in (tmp_path / "repro.c").read_text()


def crash(name: str, args: dict[str, Any], verdict: Verdict) -> CaseRecord:
    return failed(CREATE, MALLOC, (name, args, None), verdict=verdict)


@pytest.mark.parametrize(
    ("record", "misbehave"),
    [
        (crash("aclrtSynchronizeStream", {"stream": STREAM}, Verdict.CRASH), "segv"),
        (
            failed(
                MALLOC,
                ("aclrtMemset", {"devPtr": DEVICE, "maxCount": 4096, "value": 0x99, "count": 4096}, 0),
                ("aclrtFree", {"devPtr": DEVICE}, None),
                verdict=Verdict.CRASH,
            ),
            "exit",
        ),
    ],
    ids=["segv", "exit"],
)
def test_a_crash_shows(record: CaseRecord, misbehave: str, tmp_path: Path) -> None:
    record = msgspec.structs.replace(record)
    source = c_source(program_of(record, CONTRACT, bare=True), record, header(), CONTRACT)
    program = built(source, fake_library(), tmp_path)
    status, said = outcome([program], misbehave)
    assert status == 0, said
    assert "the process was ended in the last call" in said
    assert outcome([program], "")[0] == 1


def test_a_hang_shows(tmp_path: Path) -> None:
    args = {"dst": DEVICE, "destMax": 77, "src": HOST, "count": 77, "kind": "ACL_MEMCPY_HOST_TO_DEVICE"}
    record = failed(MALLOC, ("aclrtMemcpy", args, None), verdict=Verdict.HANG)
    source = c_source(program_of(record, CONTRACT, bare=True), record, header(), CONTRACT)
    program = built(source.replace("DEADLINE_S 60", "DEADLINE_S 1"), fake_library(), tmp_path)
    status, said = outcome([program], "hang")
    assert status == 0, said
    assert "the last call does not return" in said
    assert outcome([program], "")[0] == 1


# --- pyACL -------------------------------------------------------------------------------------------------


def script(record: CaseRecord, folder: Path, fault: str = "") -> tuple[int, str]:
    file = folder / "repro.py"
    file.write_text(python_source(program_of(record, CONTRACT), record, header(), CONTRACT), encoding="utf-8")
    library = find_reference()
    return outcome([sys.executable, "-m", "harness.pyacl", "--library", str(library), str(file)], fault)


def test_a_script_shows_lost_bytes(tmp_path: Path) -> None:
    status, said = script(lost_tail(), tmp_path, "copy_h2d_tail_lost")
    assert status == 0, said
    assert "acl.rt.memcpy -> 0" in said
    assert "1 of 4096 bytes are not what they must be, the first at +99" in said
    assert script(lost_tail(), tmp_path)[0] == 1


def test_a_script_shows_a_code(tmp_path: Path) -> None:
    status, said = script(
        failed(MALLOC, copy(DEVICE, "NULL", 8, "ACL_MEMCPY_HOST_TO_DEVICE", 100000)), tmp_path
    )
    assert status == 0, said


PYACL_CANNOT = {
    "a crash": (
        crash("aclrtSynchronizeStream", {"stream": STREAM}, Verdict.CRASH),
        "shown by the C program only",
    ),
    "no such function": (failed(("aclrtStreamStop", {"stream": STREAM}, 0)), "pyACL has no such function"),
    "NULL for an output": (
        failed(("aclrtMalloc", {"devPtr": "NULL", "size": 1, "policy": "ACL_MEM_MALLOC_HUGE_FIRST"}, 107000)),
        "takes its arguments in a way of its own",
    ),
}


@pytest.mark.parametrize("name", PYACL_CANNOT)
def test_what_pyacl_cannot_say_is_one_line(name: str) -> None:
    record, message = PYACL_CANNOT[name]
    with pytest.raises(ReproError, match=message):
        python_source(program_of(record, CONTRACT), record, header(), CONTRACT)
