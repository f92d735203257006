"""Dumping through a function, arguments of operators, and what exceptions leave."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.recipes import Bench
from suites.recipes.dump import save_exception

TENSOR = {"tensorSize": 64, "addrType": "ACL_DUMP_ADDR_PTR", "placement": "ACL_DUMP_PLACEMENT_DEVICE"}
NO_TYPE = 99


@covers("dump_reg_callback.accepted")
def test_function(acl, expect):
    """A function with flag 0 is accepted, and may be removed."""
    expect.success(acl.acldumpRegCallback(messageCallback=lambda chunk, size: 0, flag=0))
    expect.success(acl.acldumpUnregCallback())


@covers("dump_unreg_callback.without_register")
def test_remove_nothing(acl, expect):
    """Removing a function that is not there, twice, does no harm."""
    acl.acldumpUnregCallback()
    expect.observed(acl.acldumpUnregCallback())


@covers("dump_get_path.none_null")
@pytest.mark.parametrize("kind", [1, 2, 3, 4, 5, NO_TYPE])
def test_no_path(acl, expect, kind):
    """While nothing is dumped there is no path."""
    expect.true("no path", acl.acldumpGetPath(dumpType=kind).value, None)


@covers("op_stop_dump_args.pair")
def test_arguments(acl, expect, folder):
    """Dumping the arguments of operators begins and ends."""
    expect.success(acl.aclopStartDumpArgs(dumpType=1, path=str(folder)))
    expect.success(acl.aclopStopDumpArgs(dumpType=1))


@covers("dump_save_exception_info.empty_name")
def test_empty_name(acl, case, expect):
    """A file without a name is refused; with one it is written."""
    args = save_exception(Bench(case, case.resources)).args
    expect.success(acl.acldumpSaveExceptionInfo(**args))
    expect.refused(acl.acldumpSaveExceptionInfo(**{**args, "fileName": ""}))


@covers("dump_save_exception_info.parent_segment")
def test_way_out(acl, case, expect):
    """A name that leads out of the folder is refused."""
    args = save_exception(Bench(case, case.resources)).args
    expect.refused(acl.acldumpSaveExceptionInfo(**{**args, "fileName": "../x"}))


@covers("dump_save_exception_info.not_enabled")
def test_save_while_off(acl, memory, expect):
    """While exception dump is off nothing is saved."""
    tensor = {**TENSOR, "tensorAddr": memory.device(64).ptr}
    result = acl.acldumpSaveExceptionInfo(fileName="x", userTag=None, tensors=[tensor], tensorCount=1)
    expect.refused(result)


@covers("dump_get_exception_info_path.not_enabled")
def test_path_while_off(acl, expect):
    """While exception dump is off it has no path."""
    expect.refused(acl.acldumpGetExceptionInfoPath(maxLen=64))
