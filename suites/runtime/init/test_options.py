"""aclrtSetSysParamOpt, aclrtGetSysParamOpt: options that every thread of the process shares."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated
from suites.runtime.init.options import DETERMINISTIC, EVERY, SWITCHES


@covers("set_sys_param_opt.process_scope", uses=["aclrtGetSysParamOpt"])
def test_threads(options, expect):
    """A value that one thread sets is read by another."""
    expect.success(options.set(DETERMINISTIC, 1))
    expect.true("the value in another thread", options.read_elsewhere(DETERMINISTIC), 1)


@covers("set_sys_param_opt.last_wins", uses=["aclrtGetSysParamOpt"])
def test_last_counts(options, expect):
    """Of two values the later one counts."""
    expect.success(options.set(DETERMINISTIC, 1))
    expect.success(options.set(DETERMINISTIC, 0))
    expect.true("the value", options.read(DETERMINISTIC), 0)


@covers("set_sys_param_opt.no_device_needed", uses=["aclrtGetSysParamOpt"])
@isolated("before aclrtSetDevice")
def test_without_device(initialised_only, expect):
    """An option can be set and read before any device is set."""
    expect.success(initialised_only.aclrtSetSysParamOpt(opt=DETERMINISTIC, value=1))
    expect.success(initialised_only.aclrtGetSysParamOpt(opt=DETERMINISTIC))


@covers("set_sys_param_opt.deterministic_range", uses=["aclrtGetSysParamOpt"])
@pytest.mark.parametrize("value", [4, -1])
def test_refused_value(options, expect, value):
    """A value that does not exist leaves the one there was."""
    expect.success(options.set(DETERMINISTIC, 3))
    expect.refused(options.set(DETERMINISTIC, value))
    expect.true("the value", options.read(DETERMINISTIC), 3)


@covers("set_sys_param_opt.deterministic_accepted", uses=["aclrtGetSysParamOpt"])
def test_determinism(options, expect):
    """Determinism has four levels."""
    values = (3, 2, 1, 0)
    expect.true("values read", options.set_and_read(DETERMINISTIC, values), values)


@covers("set_sys_param_opt.switch_accepted", uses=["aclrtGetSysParamOpt"])
@pytest.mark.parametrize("option", SWITCHES)
def test_switches(options, expect, option):
    """The other options are on or off."""
    expect.true("values read", options.set_and_read(option, (1, 0)), (1, 0))


@covers("get_sys_param_opt.default_zero")
@isolated("nothing has been set")
@pytest.mark.parametrize("option", EVERY)
def test_default(initialised_only, expect, option):
    """An option that was never set reads 0."""
    result = expect.success(initialised_only.aclrtGetSysParamOpt(opt=option))
    expect.true("the value", result.value, 0)


@covers("set_sys_param_opt.ipv350_chapter")
@isolated("a library without the function may do anything")
def test_ipv350(acl, expect):
    """What the chapter's functions answer where they are not available."""
    expect.unsupported(acl.aclrtSetSysParamOpt(opt=DETERMINISTIC, value=0))
