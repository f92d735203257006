"""Executing with options."""

from __future__ import annotations

import ctypes

import pytest

from harness.plugin import covers, deadline
from suites.models.execute.runs import MODEL

LARGEST = 2**31 - 1


@covers("execute_v2.null_handle")
def test_no_handle(acl, expect, runs, workbench):
    """Without a handle the call runs, and gives what aclmdlExecute gives."""
    run = workbench.run_of(MODEL)
    expect.success(acl.aclmdlExecuteV2(**run.datasets, stream=runs.stream, handle=None))
    expect.data(run.result(), run.wanted)


@covers("execute_v2.equals_execute")
def test_like_the_first_form(acl, expect, runs, workbench):
    """With a handle that says nothing the result is that of aclmdlExecute."""
    run = workbench.run_of(MODEL)
    plain = runs.repeated(workbench.case.engine.c, run, 1)[0]
    run.output_blocks[0].fill(0)
    expect.success(acl.aclmdlExecuteV2(**runs.args("aclmdlExecuteV2", run)))
    expect.data(run.result(), plain)


@covers("execute_v2.timeout_expires")
@deadline(60)
def test_bound_too_short(acl, expect, runs, workbench):
    """A run longer than its bound fails, and the device is usable afterwards."""
    run = workbench.run_of("slow")
    expect.refused(acl.aclmdlExecuteV2(**run.datasets, stream=runs.stream, handle=runs.bounded(1)))
    expect.data(*workbench.outcome(workbench.load(MODEL), MODEL))


@covers("execute_v2.timeout_generous")
def test_generous_bound(acl, expect, runs, workbench):
    """A generous bound changes nothing."""
    run = workbench.run_of(MODEL)
    expect.success(acl.aclmdlExecuteV2(**run.datasets, stream=runs.stream, handle=runs.bounded(60_000)))
    expect.data(run.result(), run.wanted)


@covers("create_exec_config_handle.returns_object")
def test_create(acl, expect, afterwards):
    """A handle is made."""
    result = acl.aclmdlCreateExecConfigHandle()
    afterwards("aclmdlDestroyExecConfigHandle", handle=result.value)
    expect.true("a handle", bool(result.value))


@covers("set_exec_config_opt.stream_timeout_accepted")
@pytest.mark.parametrize("bound", [-1, 1, LARGEST])
def test_stream_bound(acl, expect, workbench, bound):
    """No bound and any number of milliseconds are accepted."""
    given = {"attrValue": ctypes.byref(ctypes.c_int32(bound)), "valueSize": 4}
    handle = workbench.execution_config()
    expect.success(acl.aclmdlSetExecConfigOpt(handle=handle, attr="ACL_MDL_STREAM_SYNC_TIMEOUT", **given))


@covers("set_exec_config_opt.event_timeout_accepted")
@pytest.mark.parametrize("bound", [-1, 1, LARGEST])
def test_event_bound(acl, expect, workbench, bound):
    """No bound and any number of milliseconds are accepted."""
    given = {"attrValue": ctypes.byref(ctypes.c_int32(bound)), "valueSize": 4}
    handle = workbench.execution_config()
    expect.success(acl.aclmdlSetExecConfigOpt(handle=handle, attr="ACL_MDL_EVENT_SYNC_TIMEOUT", **given))
