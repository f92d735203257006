"""Valid calls of chapter 18: data dump."""

from __future__ import annotations

from typing import Any

from suites.recipes import Bench, Call, recipe
from suites.services.folders import dump_file, fresh_folder

_SCENE = {"dump_scene": "aic_err_brief_dump"}
_PATH_BYTES = 4096


def _dump(bench: Bench) -> None:
    """Initialise dump until the call is over."""
    bench.call("aclmdlInitDump")
    bench.afterwards("aclmdlFinalizeDump")


def _exception_dump(bench: Bench) -> None:
    """Switch exception dump on until the call is over."""
    folder = fresh_folder(bench.resources)
    _dump(bench)
    bench.call("aclmdlSetDump", dumpCfgPath=dump_file(folder, {"dump_path": str(folder), **_SCENE}))


@recipe("aclmdlSetDump")
def set_dump(bench: Bench) -> Call:
    """Every model is dumped."""
    folder = fresh_folder(bench.resources)
    _dump(bench)
    section = {"dump_path": str(folder), "dump_list": [{"model_name": "m"}]}
    return Call({"dumpCfgPath": dump_file(folder, section)})


@recipe("acldumpRegCallback")
def register_callback(bench: Bench) -> Call:
    """A function that does nothing."""

    def take(chunk: int, size: int) -> int:
        return 0

    def undo(result: Any) -> None:
        bench.call("acldumpUnregCallback")

    return Call({"messageCallback": take, "flag": 0}, undo=undo)


@recipe("aclopStartDumpArgs")
def start_arguments(bench: Bench) -> Call:
    """A folder that can be written."""
    args = {"dumpType": 1, "path": str(fresh_folder(bench.resources))}
    return Call(args, undo=lambda result: bench.call("aclopStopDumpArgs", dumpType=1))


@recipe("aclopStopDumpArgs")
def stop_arguments(bench: Bench) -> Call:
    """What was started before."""
    bench.call("aclopStartDumpArgs", dumpType=1, path=str(fresh_folder(bench.resources)))
    bench.afterwards("aclopStopDumpArgs", dumpType=1)
    return Call({"dumpType": 1})


@recipe("acldumpSaveExceptionInfo")
def save_exception(bench: Bench) -> Call:
    """One tensor of 64 bytes, while exception dump is on."""
    _exception_dump(bench)
    block = bench.memory.device(64)
    tensor = {
        "type": "ACL_DUMP_TENSOR_INPUT",
        "tensorSize": 64,
        "tensorAddr": block.ptr,
        "addrType": "ACL_DUMP_ADDR_PTR",
        "placement": "ACL_DUMP_PLACEMENT_DEVICE",
        "shapeNum": 1,
        "shape": [16],
    }
    args = {"fileName": "tensors", "userTag": "tag", "tensors": [tensor], "tensorCount": 1}
    return Call(args, watch=(block,))


@recipe("acldumpGetExceptionInfoPath")
def exception_path(bench: Bench) -> Call:
    """Room for any path, while exception dump is on."""
    _exception_dump(bench)
    room = bench.memory.pageable(_PATH_BYTES)
    return Call({"path": room, "maxLen": _PATH_BYTES}, watch=(room,))
