"""One test body on both surfaces, and what only the C surface can do."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import harness.pyacl
from harness.binding import AbsentFunction, InOut, Library, open_library, text
from harness.pyacl import PyAclSurface, SurfaceLimit, module_for

REPOSITORY = Path(__file__).resolve().parents[2]


def test_an_output_has_its_c_name(surface: Any) -> None:
    made = surface.aclrtMalloc(size=64, policy="ACL_MEM_MALLOC_HUGE_FIRST")
    assert (made.ok, made.code, made.name) == (True, 0, "ACL_SUCCESS")
    assert made.devPtr > 0
    assert not made.untouched("devPtr")
    assert surface.aclrtFree(devPtr=made.devPtr).ok


def test_a_failing_call_leaves_its_output_untouched(surface: Any) -> None:
    result = surface.aclrtMalloc(size=0, policy=0)
    assert (result.ok, result.name) == (False, "ACL_ERROR_INVALID_PARAM")
    assert result.untouched("devPtr")


def test_memory_of_python_is_passed_by_its_address(surface: Any) -> None:
    target = np.zeros(4, dtype=np.uint8)
    assert surface.aclrtMemcpy(dst=target, destMax=4, src=b"abcd", count=4, kind="ACL_MEMCPY_HOST_TO_HOST").ok
    assert target.tobytes() == b"abcd"


def test_null_is_none(surface: Any) -> None:
    assert surface.aclrtPointerGetAttributes(ptr=None).code == 107000


def test_a_text_may_be_null_where_pyacl_leaves_it_out(surface: Any) -> None:
    assert surface.aclInit(configPath=None).ok
    assert surface.aclInit(configPath="missing.json").code == 100000


def test_structs_go_in_by_c_names(surface: Any) -> None:
    prop = {"memAttr": "ACL_HBM_MEM_HUGE", "location": {"id": 5, "type": "ACL_MEM_LOCATION_TYPE_DEVICE"}}
    assert surface.aclrtMallocPhysical(size=100, prop=prop, flags=0).handle == 105
    assert surface.aclrtMallocPhysical(size=100, prop={"reserve": 1}, flags=0).code == 107000


def test_structs_come_back_by_c_names(surface: Any) -> None:
    attributes = surface.aclrtPointerGetAttributes(ptr=1).attributes
    assert attributes == {"location": {"id": 7, "type": 1}, "pageSize": 4096, "rsv": [0, 0, 0, 9]}


def test_char_arrays_come_back_as_bytes(surface: Any) -> None:
    assert surface.aclrtDeviceGetUuid(deviceId=0).uuid["bytes"] == bytes([*range(200, 208), *[0] * 8])
    version = surface.aclsysGetCANNVersion(name="ACL_PKG_NAME_CANN").version
    assert (text(version["version"]), text(version["majorVersion"])) == ("9.0.0", "9")


def test_a_config_may_be_null(surface: Any) -> None:
    assert surface.aclrtMallocWithCfg(size=8, policy=0, cfg=None).devPtr == 0


def test_a_config_goes_in_as_a_struct(surface: Any) -> None:
    cfg = {"attrs": [{"attr": 1, "value": {"moduleId": 33}}], "numAttrs": 1}
    assert surface.aclrtMallocWithCfg(size=8, policy=0, cfg=cfg).devPtr == 1033


def test_a_list_and_its_count_go_in(surface: Any) -> None:
    result = surface.aclrtMemSetPidToShareableHandle(shareableHandle=100, pid=[20, 30], pidNum=2)
    assert result.code == 122


def test_a_text_output_comes_back_as_bytes(surface: Any) -> None:
    assert text(surface.aclrtIpcMemGetExportKey(devPtr=1, size=8, len=64, flags=0).key) == "key-123"


def test_a_value_comes_back_without_a_code(surface: Any) -> None:
    size, name = surface.aclDataTypeSize(dataType="ACL_FLOAT16"), surface.aclrtGetSocName()
    assert (size.value, size.code) == (2, None)
    assert isinstance(name.value, bytes)


def test_null_from_a_function_is_no_success(surface: Any) -> None:
    handle = surface.aclCreateDataBuffer(data=None, size=0)
    assert (handle.value, handle.ok) == (0, False)


def test_a_null_handle_is_no_success(surface: Any) -> None:
    handle = surface.aclrtCreateBinary(data=0x1000, dataLen=0)
    assert (handle.value, handle.ok) == (0, False)


def test_load_options_go_in_as_a_struct(surface: Any) -> None:
    options = {
        "options": [{"type": "ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD", "value": {"isLazyLoad": 1}}],
        "numOpt": 1,
    }
    assert surface.aclrtBinaryLoadFromFile(binPath="a.o", options=options).binHandle == 101
    assert surface.aclrtBinaryLoadFromFile(binPath="a.o", options=None).binHandle == 1


def test_a_value_given_by_address_reaches_both(surface: Any) -> None:
    priority, path = ctypes.c_int32(3), ctypes.c_char_p(b"Model")
    set_option = surface.aclmdlSetConfigOpt
    assert set_option(handle=1, attr="ACL_MDL_PRIORITY_INT32", attrValue=priority, valueSize=4).code == 3
    pointer = ctypes.byref(path)
    assert set_option(handle=1, attr="ACL_MDL_PATH_PTR", attrValue=pointer, valueSize=8).code == ord("M")


def test_a_stream_attribute_goes_both_ways(surface: Any) -> None:
    kind = "ACL_STREAM_ATTR_USER_CUSTOM_TAG"
    surface.aclrtSetStreamAttribute(stream=None, stmAttrType=kind, value={"userCustomTag": 9})
    result = surface.aclrtGetStreamAttribute(stream=None, stmAttrType=kind)
    assert result.outputs["value"]["userCustomTag"] == 9


def test_a_callback_gets_the_user_data(surface: Any) -> None:
    seen: list[int] = []
    assert surface.aclrtLaunchCallback(fn=seen.append, userData=0x55, blockType=0, stream=None).ok
    assert seen == [0x55]


def test_the_call_is_recorded(surface: Any) -> None:
    surface.aclrtSetDevice(deviceId=5)
    (call,) = surface.library.recorder.snapshot()
    assert (call["function"], call["args"], call["code"]) == ("aclrtSetDevice", {"deviceId": 5}, 107001)


@pytest.mark.parametrize(
    ("args", "message"),
    [({"size": 8}, "policy is missing"), ({"size": 8, "policy": 0, "kind": 1}, "no parameter kind")],
)
def test_a_wrong_call_is_refused(surface: Any, args: dict[str, int], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        surface.call("aclrtMalloc", **args)


def test_an_absent_function_is_named(surface: Any) -> None:
    assert not surface.has("aclrtMemcpyAsync")
    with pytest.raises(AbsentFunction):
        surface.aclrtMemcpyAsync(dst=0, destMax=0, src=0, count=0, kind=0, stream=0)


@pytest.mark.parametrize(
    ("api", "args", "message"),
    [
        ("aclrtMalloc", {"devPtr": None, "size": 8, "policy": 0}, "pyACL makes devPtr itself"),
        ("aclrtMalloc", {"devPtr": InOut(1), "size": 8, "policy": 0}, "pyACL makes devPtr itself"),
        ("aclrtMalloc", {"size": 8, "policy": 2**31}, "pyACL turns the arguments down"),
        ("aclrtMallocPhysical", {"size": 8, "prop": None, "flags": 0}, "pyACL takes a dict"),
        ("aclrtIpcMemSetImportPid", {"key": None, "pid": [1], "num": 1}, "NULL for a text"),
        ("aclrtIpcMemSetImportPid", {"key": "k", "pid": None, "num": 0}, "pyACL takes a list"),
        ("aclrtIpcMemSetImportPid", {"key": "k", "pid": [1], "num": 2}, "pyACL passes 1 for num"),
        ("aclrtIpcMemGetExportKey", {"devPtr": 1, "size": 1, "len": 1024, "flags": 0}, "below 1024"),
        ("aclrtLaunchCallback", {"fn": None, "userData": 0, "blockType": 0, "stream": 0}, "takes a callable"),
        ("aclrtAllocatorSetObjToDesc", {"allocatorDesc": 1, "allocator": None}, "never NULL"),
        ("aclrtMemcpyBatch", {"dsts": [0]}, "pyACL has no function for it"),
        (
            "aclmdlSetConfigOpt",
            {"handle": 1, "attr": 0, "attrValue": 5, "valueSize": 4},
            "pyACL makes valueSize itself",
        ),
        ("aclmdlSetConfigOpt", {"handle": 1, "attr": 0, "attrValue": 5}, "takes the value, not its address"),
    ],
)
def test_what_pyacl_cannot_express_is_a_limit(
    pyacl: PyAclSurface, api: str, args: dict[str, Any], message: str
) -> None:
    with pytest.raises(SurfaceLimit, match=message):
        pyacl.call(api, **args)
    assert len(pyacl.library.recorder) == 0


def test_a_function_without_a_counterpart_is_not_there(pyacl: PyAclSurface) -> None:
    assert not pyacl.has("aclrtMemcpyBatch")
    assert pyacl.has("aclrtMemcpy")


def test_another_module_is_recorded_too(library: Library) -> None:
    foreign = ModuleType("acl")
    foreign.rt = ModuleType("acl.rt")  # type: ignore[attr-defined]
    foreign.rt.malloc = lambda size, policy: (0x77, 0)  # type: ignore[attr-defined]
    surface = PyAclSurface(foreign, library)
    assert surface.aclrtMalloc(size=64, policy=3).devPtr == 0x77
    (call,) = library.recorder.snapshot()
    assert (call["function"], call["args"]) == ("acl.rt.malloc", {"size": 64, "policy": 3})
    assert not surface.has("aclrtFree")


def test_the_drop_in_is_used_where_there_is_no_acl(library: Library) -> None:
    assert module_for(library) is harness.pyacl
    assert module_for(library, hardware=True) is harness.pyacl


def test_huaweis_module_is_used_on_hardware(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = ModuleType("acl")
    monkeypatch.setitem(sys.modules, "acl", foreign)
    assert module_for(library, hardware=True) is foreign
    assert module_for(library) is harness.pyacl


def test_a_fetched_function_follows_the_library_in_use(fake_path: Path) -> None:
    first, second = open_library(fake_path), open_library(fake_path)
    harness.pyacl.use(first)
    set_device = harness.pyacl.rt.set_device
    harness.pyacl.use(second)
    set_device(0)
    assert (len(first.recorder), len(second.recorder)) == (0, 1)


def test_a_call_without_a_library_says_what_to_do() -> None:
    program = (
        "import harness.pyacl as acl\n"
        "try:\n    acl.rt.set_device(0)\n"
        "except RuntimeError as error:\n    print(error)\n"
    )
    shown = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True)
    assert shown.stdout.strip() == "no ACL library in use: call harness.pyacl.use(library) first"


SCRIPT = """
import sys
import acl
import acl.rt

def check(ret):
    assert ret == 0, ret

check(acl.init())
check(acl.rt.set_device(int(sys.argv[1])))
address, ret = acl.rt.malloc(16, 0)
check(ret)
data = b"0123456789abcdef"
check(acl.rt.memcpy(address, 16, acl.util.bytes_to_ptr(data), 16, 0))
print(acl.util.ptr_to_bytes(address, 16).decode(), acl.get_soc_name())
check(acl.rt.free(address))
"""


def run_script(script: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a script on the drop-in in a process of its own."""
    command = [sys.executable, "-m", "harness.pyacl", *options]
    return subprocess.run(
        [*command, str(script), "0"], cwd=REPOSITORY, capture_output=True, text=True, timeout=60
    )


def test_a_script_for_pyacl_runs_unchanged(fake_path: Path, tmp_path: Path) -> None:
    script = tmp_path / "sample.py"
    script.write_text(SCRIPT)
    shown = run_script(script, "--library", str(fake_path))
    assert (shown.stdout, shown.returncode) == ("0123456789abcdef Ascend910B1\n", 0), shown.stderr


def test_the_environment_names_the_library(
    fake_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "sample.py"
    script.write_text(SCRIPT)
    monkeypatch.setenv("ACLCTS_REFERENCE", str(fake_path))
    assert run_script(script).returncode == 0


@pytest.mark.parametrize("named", ["option", "environment"])
def test_a_missing_library_ends_with_status_2(
    tmp_path: Path, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "sample.py"
    script.write_text(SCRIPT)
    monkeypatch.setenv("ACLCTS_REFERENCE", str(tmp_path / "none.so"))
    shown = run_script(script, *(("--library", str(tmp_path / "none.so")) if named == "option" else ()))
    assert (shown.returncode, "none.so: no such file" in shown.stderr) == (2, True)
    assert "Traceback" not in shown.stderr


def test_a_missing_script_ends_with_status_2(fake_path: Path, tmp_path: Path) -> None:
    shown = run_script(tmp_path / "none.py", "--library", str(fake_path))
    assert (shown.returncode, "no such file" in shown.stderr) == (2, True)


def test_lists_inside_a_list_reach_c_as_arrays(pyacl: PyAclSurface) -> None:
    result = pyacl.aclopSetAttrListListInt(attr=1, attrName="axes", numLists=2, values=[[9], [3, 4]])
    assert result.code == 223
