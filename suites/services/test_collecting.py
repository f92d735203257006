"""Collecting: initialised, started, stopped, finalised."""

from __future__ import annotations

import json

import pytest

from harness.plugin import covers, isolated
from suites.services.collecting import Session
from suites.services.folders import files_below
from suites.services.subscribed import Subscription

MOST = 4096
LONGEST_SETTING = 256


@covers("prof_init.length_max")
def test_long_path(acl, expect, folder):
    """A path of 4097 bytes is refused."""
    path = str(folder).ljust(MOST - 1, "/") + "/."
    expect.refused(acl.aclprofInit(profilerResultPath=path, length=len(path)))


@covers("prof_init.twice")
def test_init_twice(session, expect):
    """Profiling that is initialised is not initialised again."""
    expect.success(session.init())
    expect.refused(session.init())


@covers("prof_init.command_line_profiling")
@isolated("initialises with a file")
def test_init_while_the_file_profiles(bare, case, expect, folder):
    """While aclInit's file has switched profiling on, it is not the program's."""
    file = folder / "acl.json"
    file.write_text(json.dumps({"profiler": {"switch": "on", "output": str(folder)}}), encoding="utf-8")
    expect.success(bare.aclInit(configPath=str(file)))
    expect.success(bare.aclrtSetDevice(deviceId=0))
    expect.refused(Session(bare, case).init())


@covers("prof_init.after_subscription")
def test_init_after_a_subscription(case, session, expect):
    """While a model is subscribed, nothing else is collected."""
    Subscription(case, case.resources).begin()
    expect.refused(session.init())


@covers("prof_init.creates_result_dir")
def test_results(session, stream, expect):
    """A collection leaves files in its folder."""
    session.start()
    session.work(stream)
    expect.success(session.stop())
    expect.success(session.finalize())
    expect.true("there are files", len(files_below(session.folder)) > 0)


@covers("prof_finalize.without_init")
def test_finalize_without_init(acl, expect):
    """What was not initialised cannot be finalised."""
    expect.refused(acl.aclprofFinalize())


@covers("prof_finalize.pair")
def test_two_sessions(session, expect):
    """Profiling can be initialised again after its end."""
    expect.success(session.init())
    expect.success(session.finalize())
    expect.success(session.init())
    expect.success(session.finalize())


@covers("prof_start.without_init")
def test_start_without_init(acl, session, expect):
    """Nothing is started before profiling is initialised."""
    expect.refused(acl.aclprofStart(profilerConfig=session.config()))


@covers("prof_stop.without_init")
def test_stop_without_init(acl, session, expect):
    """Nothing is stopped before profiling is initialised."""
    expect.refused(acl.aclprofStop(profilerConfig=session.config()))


@covers("prof_start.null_config")
def test_start_without_a_configuration(acl, session, expect):
    """What starting without a configuration gives is recorded."""
    expect.success(session.init())
    expect.observed(acl.aclprofStart(profilerConfig=None))


@covers("prof_start.repeat_same")
def test_start_twice(acl, session, expect):
    """A configuration that was started is not started again, and can be stopped."""
    session.start()
    expect.refused(acl.aclprofStart(profilerConfig=session.started))
    expect.success(session.stop())


@covers("prof_start.repeat_different")
def test_start_a_device_twice(acl, session, expect):
    """A device that is being collected is not collected in another way as well."""
    session.start()
    expect.refused(acl.aclprofStart(profilerConfig=session.config("ACL_PROF_ACL_API")))


@covers("prof_stop.config_matches_start")
def test_stop_something_else(acl, session, expect):
    """Only what was started is stopped."""
    session.start()
    expect.refused(acl.aclprofStop(profilerConfig=session.config("ACL_PROF_ACL_API")))


@covers("prof_set_config.length_limit")
def test_long_setting(acl, expect):
    """A text of 257 bytes is refused, one of 256 is not."""
    given = {"configType": "ACL_PROF_OPTYPE"}
    longest, longer = "x" * LONGEST_SETTING, "x" * (LONGEST_SETTING + 1)
    expect.success(acl.aclprofSetConfig(**given, config=longest, configLength=len(longest)))
    expect.refused(acl.aclprofSetConfig(**given, config=longer, configLength=len(longer)))


@covers("prof_set_config.bad_value")
@pytest.mark.parametrize("value", ["abc", "0"])
def test_bad_setting(acl, expect, value):
    """A frequency that is none is refused."""
    result = acl.aclprofSetConfig(
        configType="ACL_PROF_SYS_HARDWARE_MEM_FREQ", config=value, configLength=len(value)
    )
    expect.refused(result)


@covers("prof_set_config.before_start")
def test_setting_after_the_start(acl, session, expect):
    """What a setting gives while something is collected is recorded."""
    session.start()
    result = acl.aclprofSetConfig(configType="ACL_PROF_SYS_HARDWARE_MEM_FREQ", config="50", configLength=2)
    expect.observed(result)
