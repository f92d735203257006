"""Options of the online compiler: what they take, what they tell, and for whom they hold."""

from __future__ import annotations

from functools import partial

import pytest

from harness.plugin import covers, isolated
from suites.operators.compile_options import ACCEPTED, DEBUG, JIT, JIT_DEFAULTS, OOM
from suites.operators.watching import NOTICED
from suites.threads import alone

WHOLE_PROCESS = "an option counts for the whole process"
NOTHING_SET = "no option may have been set in the process"
READABLE = (*ACCEPTED, ("ACL_OP_DEBUG_LEVEL", "1"))
UNCLEAR = ("ACL_PRECISION_MODE", "ACL_OP_SELECT_IMPL_MODE")
"""Options that have two defaults in the documents."""


@covers("set_compileopt.accepted")
@isolated(WHOLE_PROCESS)
def test_accepted(compile_options, expect):
    """Every option takes a value that documents give it."""
    codes = [compile_options.set(option, value).code for option, value in ACCEPTED]
    expect.true("every value is accepted", codes, [0] * len(ACCEPTED))


@covers("set_compileopt.process_wide", uses=("aclGetCompileopt",))
@isolated(WHOLE_PROCESS)
def test_of_the_process(compile_options, expect):
    """What one thread sets another one reads."""
    expect.success(compile_options.set(DEBUG, OOM))
    expect.true("what another thread reads", alone(partial(compile_options.read, DEBUG)), OOM)


@covers("set_compileopt.last_wins", uses=("aclGetCompileopt",))
@isolated(WHOLE_PROCESS)
def test_set_again(compile_options, expect):
    """An option that is set can be set again and again."""
    values = ("enable", "disable", "enable")
    expect.true("what is read each time", compile_options.read_after(JIT, *values), list(values))


@covers("set_compileopt.aicore_num_no_effect", uses=("aclopCompileAndExecuteV2",))
@isolated(WHOLE_PROCESS)
def test_number_of_cores(compile_options, compiling, expect, stream):
    """What the number of cores comes to is recorded, and what an operator computes then."""
    expect.observed(compile_options.set("ACL_AICORE_NUM", "1"))
    right = compiling.right_results("aclopCompileAndExecuteV2", compiling.job(), stream, 1)
    expect.observed(f"right outputs: {right} of 1")


@covers("set_compileopt.auto_tune_mode")
@isolated(WHOLE_PROCESS)
def test_tuning(compile_options, expect):
    """Automatic tuning is no longer to be set."""
    expect.refused(compile_options.set("ACL_AUTO_TUNE_MODE", "RL"))


@covers("set_compileopt.performance_mode_deprecated")
@isolated(WHOLE_PROCESS)
def test_performance(compile_options, expect):
    """What setting the deprecated mode comes to is recorded."""
    expect.observed(compile_options.set("ACL_OP_PERFORMANCE_MODE", "normal"))


@covers("set_compileopt.allow_hf32_reserved")
@isolated(WHOLE_PROCESS)
def test_reserved(compile_options, expect):
    """What setting the reserved option comes to is recorded."""
    expect.observed(compile_options.set("ACL_ALLOW_HF32", "true"))


@covers("set_compileopt.unknown_value")
@isolated(WHOLE_PROCESS)
def test_unknown_value(compile_options, expect):
    """What a value comes to that the option does not have is recorded."""
    expect.observed(compile_options.set(JIT, "maybe"))


@covers("set_compileopt.oom_detects", uses=("aclrtSetSysParamOpt", "aclGetRecentErrMsg", "aclopCompile"))
@isolated("an operator that leaves its memory spoils the process")
def test_memory_is_watched(compile_options, watching, expect, stream):
    """An operator that was compiled to watch its memory, and leaves it, is reported."""
    expect.success(compile_options.set(DEBUG, OOM))
    outcome = watching.run_with_short_output(stream)
    expect.true("the run fails", outcome.failed, True)
    expect.true("the report names the error", NOTICED in outcome.report, True)


@covers("get_compileopt.default_before_set")
@isolated(NOTHING_SET)
def test_default(case, compile_options, expect):
    """An option that was not set has its default."""
    expect.true("what is read", compile_options.read(JIT), JIT_DEFAULTS[case.profile.product])


@covers("get_compileopt.value_after_set", uses=("aclSetCompileopt",))
@isolated(WHOLE_PROCESS)
@pytest.mark.parametrize(("option", "value"), READABLE)
def test_value(compile_options, expect, option, value):
    """An option that was set is read as it was set."""
    expect.success(compile_options.set(option, value))
    expect.true("what is read", compile_options.read(option), value)


@covers("get_compileopt.value_after_set", uses=("aclSetCompileopt",))
@isolated(WHOLE_PROCESS)
def test_values_side_by_side(compile_options, expect):
    """Options that were set one after the other keep each its own value."""
    values = dict(ACCEPTED)
    codes = [compile_options.set(option, value).code for option, value in values.items()]
    expect.true("every value is accepted", codes, [0] * len(values))
    expect.true("what is read", {option: compile_options.read(option) for option in values}, values)


@covers("get_compileopt.value_after_set", uses=("aclSetCompileopt",))
@isolated(WHOLE_PROCESS)
def test_text_written_over(compile_options, memory, expect):
    """An option keeps its value when the memory is written over from which it was set."""
    text = memory.pageable(64).write(b"disable\0")
    expect.success(compile_options.set(JIT, text))
    text.write(b"enable\0")
    expect.true("what is read", compile_options.read(JIT), "disable")


@covers("get_compileopt.default_conflict")
@isolated(NOTHING_SET)
@pytest.mark.parametrize("option", UNCLEAR)
def test_unclear_default(compile_options, expect, option):
    """Which of two defaults an option has is recorded."""
    expect.observed(f"{option}: {compile_options.read(option)}")


@covers("get_compileopt_size.enough", uses=("aclGetCompileopt",))
@isolated(NOTHING_SET)
def test_size(compile_options, expect):
    """A buffer of the size that is told holds the value and its end."""
    expect.true("the default", compile_options.read_sized(JIT), compile_options.read(JIT))


@covers("get_compileopt_size.enough", uses=("aclSetCompileopt", "aclGetCompileopt"))
@isolated(WHOLE_PROCESS)
def test_size_after_set(compile_options, expect):
    """A buffer of the size that is told holds a value that was set."""
    expect.success(compile_options.set(DEBUG, OOM))
    expect.true("the value", compile_options.read_sized(DEBUG), OOM)


@covers("get_compileopt_size.unset_option")
@isolated(NOTHING_SET)
def test_size_of_nothing(compile_options, expect):
    """The size of an option without a value is recorded."""
    expect.observed(f"size: {compile_options.size(DEBUG)}")
