"""aclInit: dumps that a configuration switches on, and which of them exclude each other."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated

DETAIL = "aic_err_detail_dump"
NODES = {"watcher_nodes": ["C"]}


@pytest.fixture
def init(process):
    """Initialise with settings of a dump; a path is an existing folder."""
    return lambda **settings: process.init({"dump": settings})


@pytest.fixture
def path(process):
    """A folder that dumps can go to."""
    return str(process.folder)


@covers("init.overflow_dump_needs_path")
@isolated("before aclInit")
def test_overflow_without_path(init, expect):
    """A dump of overflows needs a path."""
    expect.refused(init(dump_debug="on"))


@covers("init.overflow_dump_exclusive")
@isolated("before aclInit")
@pytest.mark.parametrize("other", [{"dump_list": [{"model_name": "m"}]}, {"dump_op_switch": "on"}], ids=str)
def test_overflow_with_others(init, path, expect, other):
    """A dump of overflows goes with no dump of models or operators."""
    expect.refused(init(dump_path=path, dump_debug="on", **other))


@covers("init.watcher_exclusive")
@isolated("before aclInit")
@pytest.mark.parametrize("other", ["dump_debug", "dump_op_switch"])
def test_watcher_with_others(init, path, expect, other):
    """A watcher goes with no dump of overflows or operators."""
    expect.refused(init(dump_path=path, dump_scene="watcher", dump_list=[NODES], **{other: "on"}))


@covers("init.watcher_needs_path")
@isolated("before aclInit")
def test_watcher_without_path(init, expect):
    """A watcher needs a path."""
    expect.refused(init(dump_scene="watcher", dump_list=[NODES]))


@covers("init.exception_dump_values")
@isolated("before aclInit")
@pytest.mark.parametrize("scene", ["aic_err_brief_dump", "aic_err_norm_dump", "lite_exception"])
def test_exceptions(init, path, expect, scene):
    """A dump of exceptions of a kind that exists is switched on."""
    expect.success(init(dump_path=path, dump_scene=scene))


@covers("init.exception_dump_values")
@isolated("before aclInit")
def test_watcher(init, path, expect):
    """A watcher is switched on."""
    expect.success(init(dump_path=path, dump_scene="watcher", dump_list=[NODES]))


@covers("init.exception_dump_values")
@isolated("before aclInit")
def test_detailed_exceptions(init, path, expect, case):
    """Detailed dumps of exceptions are there on two products only."""
    result = init(dump_path=path, dump_scene=DETAIL)
    expect.true("the dump is switched on", bool(result.ok), case.profile.product in ("A3", "910b"))


@covers("init.exception_dump_values")
@isolated("before aclInit")
def test_unknown_exceptions(init, path, expect):
    """A dump of a kind that does not exist is refused."""
    expect.refused(init(dump_path=path, dump_scene="xyz"))


@covers("init.exception_dump_lite_alias")
@isolated("before aclInit")
@pytest.mark.parametrize("scene", ["aic_err_brief_dump", "lite_exception"])
def test_both_names(init, path, expect, scene):
    """The two names of a brief dump are both taken."""
    expect.success(init(dump_path=path, dump_scene=scene))


@covers("init.exception_dump_exclusive")
@isolated("before aclInit")
def test_exceptions_with_models(init, path, expect):
    """What comes of a dump of exceptions together with one of models."""
    scene = "aic_err_brief_dump"
    expect.observed(init(dump_path=path, dump_scene=scene, dump_list=[{"model_name": "m"}]))


@covers("init.kernel_dump_needs_path")
@isolated("before aclInit")
def test_kernels_without_path(init, expect, monkeypatch):
    """A dump of kernels needs a path, from the configuration or the environment."""
    monkeypatch.delenv("ASCEND_DUMP_PATH", raising=False)
    monkeypatch.delenv("ASCEND_WORK_PATH", raising=False)
    expect.refused(init(dump_kernel_data="all"))


@covers("init.kernel_dump_values")
@isolated("before aclInit")
@pytest.mark.parametrize("kinds", ["printf,assert", "all", "tensor,timestamp"])
def test_kernels(init, path, expect, kinds):
    """What kernels dump is a list of kinds."""
    expect.success(init(dump_path=path, dump_kernel_data=kinds))
