"""Data dump: its beginning and end, its configuration, and the files it leaves."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each, isolated
from suites.services.folders import dump_file
from suites.services.running_model import RunningModel

MODEL = [{"model_name": "m"}]
NODES = [{"model_name": "m", "watcher_nodes": ["a"]}]
ON = "on"


@covers_each("before_init", "aclmdlInitDump", "aclmdlSetDump", "aclmdlFinalizeDump")
@isolated("starts before aclInit")
def test_before_init(bare, expect, folder, api):
    """The calls need an initialised library."""
    path = {"dumpCfgPath": dump_file(folder, "")} if api == "aclmdlSetDump" else {}
    expect.refused(bare.call(api, **path))


@covers("init_dump.twice")
def test_init_twice(acl, dumping, expect):
    """Dump that is initialised is not initialised again."""
    expect.refused(acl.aclmdlInitDump())


@covers("init_dump.after_acl_init_with_dump")
@isolated("initialises with a file")
def test_init_after_the_file_did(bare, expect, folder):
    """Dump that aclInit's file has set up is not initialised again."""
    section = {"dump_path": str(folder), "dump_list": MODEL}
    expect.success(bare.aclInit(configPath=dump_file(folder, section)))
    expect.refused(bare.aclmdlInitDump())
    expect.success(bare.aclFinalize())


@covers("init_dump.cycle")
def test_cycle(acl, dumping, expect):
    """Dump can be initialised again after its end."""
    expect.success(dumping.finalize())
    expect.success(acl.aclmdlInitDump())


@covers("set_dump.before_dump_init")
def test_set_before_init(acl, expect, folder):
    """Dump is not set before it is initialised."""
    expect.refused(acl.aclmdlSetDump(dumpCfgPath=dump_file(folder, "")))


@covers("finalize_dump.before_dump_init")
def test_finalize_before_init(acl, expect):
    """Dump does not end before it is initialised."""
    expect.refused(acl.aclmdlFinalizeDump())


@covers("finalize_dump.twice")
def test_finalize_twice(dumping, expect):
    """Dump ends once."""
    expect.success(dumping.finalize())
    expect.refused(dumping.finalize())


@covers("set_dump.missing_file")
def test_missing_file(acl, dumping, expect):
    """A file that is not there is refused."""
    expect.refused(acl.aclmdlSetDump(dumpCfgPath=str(dumping.folder / "missing.json")))


@covers("set_dump.bad_json")
def test_bad_json(dumping, expect):
    """A file that is no JSON is refused."""
    expect.refused(dumping.set("{"))


@covers("set_dump.empty_file")
def test_empty_file(dumping, expect):
    """An empty file is accepted."""
    expect.success(dumping.set(""))


@covers("set_dump.missing_dump_path")
def test_no_path(dumping, expect):
    """A model cannot be dumped nowhere."""
    expect.refused(dumping.set({"dump_list": MODEL}))


@covers("set_dump.overflow_with_model")
@pytest.mark.parametrize(
    "more", [{"dump_list": MODEL}, {"dump_op_switch": ON, "dump_list": []}], ids=["models", "operators"]
)
def test_overflow_and_more(dumping, expect, more):
    """Overflow dump goes with neither models nor operators."""
    expect.success(dumping.set(dumping.section(dump_debug=ON, dump_list=[])))
    expect.refused(dumping.set(dumping.section(dump_debug=ON, **more)))


@covers("set_dump.watcher_exclusive")
@pytest.mark.parametrize("switch", ["dump_debug", "dump_op_switch"])
def test_watcher_and_more(dumping, expect, switch):
    """The watcher goes with neither overflow dump nor operators."""
    watcher = {"dump_scene": "watcher", "dump_list": NODES}
    expect.success(dumping.set(dumping.section(**watcher)))
    expect.refused(dumping.set(dumping.section(**watcher, **{switch: ON})))


@covers("set_dump.exception_exclusive")
@pytest.mark.parametrize(
    "more", [{"dump_list": MODEL}, {"dump_op_switch": ON, "dump_list": []}], ids=["models", "operators"]
)
def test_exceptions_and_more(dumping, expect, more):
    """Exception dump goes with neither models nor operators."""
    scene = {"dump_scene": "aic_err_brief_dump"}
    expect.success(dumping.set(dumping.section(**scene, dump_list=[])))
    expect.refused(dumping.set(dumping.section(**scene, **more)))


@covers("set_dump.last_wins")
def test_last_wins(case, dumping, expect):
    """Of two folders only the second one gets files."""
    first, second = dumping.folder / "first", dumping.folder / "second"
    dumping.must_set(first)
    dumping.must_set(second)
    RunningModel(case, case.resources).run()
    expect.success(dumping.finalize())
    expect.true("files in the first folder", dumping.files(first), 0)
    expect.true("files in the second one", dumping.files(second) > 0)


@covers("set_dump.before_load")
def test_before_load(case, dumping, expect):
    """A model that was loaded before is not dumped, one loaded since is."""
    before = RunningModel(case, case.resources)
    dumping.must_set()
    since = RunningModel(case, case.resources)
    before.run()
    expect.true("files of the model loaded before", dumping.files(), 0)
    since.run()
    expect.success(dumping.finalize())
    expect.true("files of the model loaded since", dumping.files() > 0)


@covers("set_dump.files_appear")
def test_files(case, dumping, expect):
    """After a dumped model has run and dump has ended there are files."""
    dumping.must_set()
    model = RunningModel(case, case.resources)
    expect.true("files before the run", dumping.files(), 0)
    model.run()
    expect.success(dumping.finalize())
    expect.true("files after it", dumping.files() > 0)
