"""Compiling operators online, and executing what was compiled."""

from __future__ import annotations

import pytest

from harness.models.operators import CAST_TYPES
from harness.plugin import covers, covers_each, deadline, isolated
from suites.operators.compiling import RANGE
from suites.threads import together

FLAG = "the flag counts for the whole process"
OPERATORS = ("op_add", "op_mul", "op_matmul", *(f"op_cast_{type}" for type in CAST_TYPES))
FLAGS = ("ACL_OP_COMPILE_FUZZ", "ACL_OP_COMPILE_DEFAULT")
CALLS = ("aclopCompileAndExecute", "aclopCompileAndExecuteV2")
RUNS = 10
THREADS = 4
ROUNDS = 100


@covers("op_compile.compile_then_execute", uses=("aclopExecuteV2",))
@pytest.mark.parametrize("name", OPERATORS)
def test_compile(acl, expect, compiling, operators, stream, name):
    """An operator that was compiled executes any number of times."""
    job = compiling.job(name)
    expect.success(acl.aclopCompile(**compiling.only(job)))
    right = operators.right_results(acl, "aclopExecuteV2", job.on(stream), job, RUNS)
    expect.true("right outputs", right, RUNS)


@covers("op_compile.compile_then_execute", uses=("aclopExecuteV2",))
def test_two(acl, expect, compiling, operators):
    """Of two operators that were compiled each executes."""
    jobs = [compiling.job(), compiling.job()]
    codes = [acl.aclopCompile(**compiling.only(job)).code for job in jobs]
    expect.true("both are compiled", codes, [0, 0])
    expect.true("both execute", [operators.works(job) for job in jobs], [True, True])


@covers("op_compile.compile_then_execute", uses=("aclopExecuteV2",))
def test_constant(acl, expect, compiling, operators):
    """An operator with a constant input is compiled, and executes with it."""
    job = compiling.constant_job()
    expect.success(acl.aclopCompile(**compiling.only(job)))
    expect.true("it executes", operators.works(job), True)


@covers("op_compile.dynamic_with_range", uses=("aclopExecuteV2",))
def test_range(acl, expect, compiling, operators):
    """An operator compiled for a range of lengths executes with the least, the greatest and one between."""
    expect.success(acl.aclopCompile(**compiling.for_range(compiling.job("op_mul"))))
    jobs = [operators.job("op_mul", dims=(length,)) for length in (*RANGE, 4)]
    expect.true("which execute", [operators.works(job) for job in jobs], [True] * len(jobs))


@covers("op_compile.dynamic_without_range")
@isolated("no document says what a compiler does without the range")
def test_no_range(acl, expect, compiling):
    """What compiling for any length without a range comes to is recorded."""
    expect.observed(acl.aclopCompile(**compiling.without_range(compiling.job())))


@covers("op_compile.optional_input_absent", uses=("aclopExecuteV2",))
def test_without_optional_input(acl, expect, compiling, operators):
    """An operator is compiled without its optional input, and executes so."""
    job = compiling.job("op_matmul")
    expect.success(acl.aclopCompile(**compiling.only(job)))
    expect.true("it executes", operators.works(job), True)


@covers("op_compile.host_placement")
def test_input_on_the_host(acl, expect, compiling, operators):
    """An input on the host without data is refused."""
    job = operators.with_host_input(compiling.job())
    expect.refused(acl.aclopCompile(**compiling.only(job)))


@covers("op_compile.unknown_op")
def test_unknown_operator(acl, expect, compiling, operators):
    """An operator that there is not cannot be compiled."""
    expect.refused(acl.aclopCompile(**compiling.only(operators.unknown_job())))


@covers_each("unknown_op", *CALLS)
def test_unknown_operator_to_execute(acl, expect, compiling, operators, stream, api):
    """An operator that there is not is neither compiled nor executed."""
    job = operators.unknown_job()
    expect.refused(acl.call(api, **compiling.arguments(job, stream)), unchanged=job.output_blocks)


@covers("op_compile.op_path_reserved")
def test_path(acl, expect, compiling):
    """What the reserved path comes to is recorded."""
    expect.observed(acl.aclopCompile(**{**compiling.only(compiling.job()), "opPath": "."}))


@covers_each("op_path_reserved", *CALLS)
def test_path_to_execute(acl, expect, compiling, operators, stream, api):
    """What the reserved path comes to is recorded."""
    given = compiling.arguments(compiling.job(), stream)
    expect.observed(acl.call(api, **{**given, "opPath": "."}))
    operators.wait(stream)


@covers_each("executes", *CALLS)
def test_compile_and_execute(acl, expect, compiling, operators, stream, api):
    """An operator that nobody has loaded is compiled and writes the sums."""
    job = compiling.job()
    expect.success(acl.call(api, **compiling.arguments(job, stream)))
    operators.wait(stream)
    expect.data(job.result(), job.wanted)


@covers_each("executes", *CALLS)
def test_other_data(acl, expect, compiling, operators, stream, api):
    """Two runs of one operator on different buffers write what belongs to each."""
    first, second = compiling.pair()
    expect.success(acl.call(api, **compiling.arguments(first, stream)))
    expect.success(acl.call(api, **compiling.arguments(second, stream)))
    operators.wait(stream)
    expect.data(first.result() + second.result(), first.wanted + second.wanted)


@covers_each("async", *CALLS)
def test_does_not_wait(acl, expect, compiling, operators, stream, blocked_stream, api):
    """On a stream that is held the call returns, and the output is written once the stream goes on."""
    job = compiling.job()
    with blocked_stream(stream) as hold:
        expect.success(acl.call(api, **compiling.arguments(job, stream)))
        expect.unchanged(*job.output_blocks)
        hold.release()
    operators.wait(stream)
    expect.data(job.result(), job.wanted)


@covers("op_compile_and_execute.fixed_shape_only")
@isolated("no document says what the call does with other shapes")
def test_open_shape(acl, expect, compiling, stream):
    """What the older call does with a size that is not known is recorded."""
    job = compiling.job()
    given = {**compiling.arguments(job, stream), **compiling.without_range(job)}
    expect.observed(acl.aclopCompileAndExecute(**given))


@covers("op_compile_and_execute_v2.sync_with_max_shape")
def test_shape_from_data(acl, expect, compiling, operators, stream):
    """Where the output's shape depends on data, the call has ended at return and tells the shape."""
    job = operators.job("op_where")
    expect.success(acl.aclopCompileAndExecuteV2(**compiling.arguments(job, stream)))
    expect.data(job.result(), job.wanted)
    expect.true("the dims", operators.told_dims(job.output_descs[0]), list(job.expected[0].shape))


@covers_each("thread_streams", *CALLS)
@deadline(120)
def test_threads(acl, expect, compiling, api):
    """Threads with a stream each compile and execute side by side, and every output is right."""
    right = together(acl, compiling.workers(api, THREADS, ROUNDS))
    expect.true("right outputs", right, [ROUNDS] * THREADS)


@covers("op_set_compile_flag.accepted")
@isolated(FLAG)
def test_flags(acl, expect):
    """Either flag is accepted."""
    codes = [acl.aclopSetCompileFlag(flag=flag).code for flag in FLAGS]
    expect.true("either flag is accepted", codes, [0] * len(FLAGS))


@covers("op_set_compile_flag.deprecated")
@isolated(FLAG)
def test_flag_still_there(acl, expect):
    """The deprecated call still answers."""
    expect.success(acl.aclopSetCompileFlag(flag="ACL_OP_COMPILE_DEFAULT"))


@covers("op_set_compile_flag.default_exact", uses=("aclopCompile", "aclopExecuteV2"))
@isolated(FLAG)
def test_exact_by_default(acl, expect, compiling, operators):
    """Whether an operator that was compiled for one length executes with another is recorded."""
    expect.observed(acl.aclopCompile(**compiling.only(compiling.job())))
    expect.observed(f"another length executes: {operators.works(compiling.job())}")


@covers("op_set_compile_flag.default_exact", uses=("aclopCompile", "aclopExecuteV2"))
@isolated(FLAG)
def test_any_length(acl, expect, compiling, operators):
    """The same is recorded where the flag asks for more than exactly that length."""
    expect.observed(acl.aclopSetCompileFlag(flag="ACL_OP_COMPILE_FUZZ"))
    expect.observed(acl.aclopCompile(**compiling.only(compiling.job())))
    expect.observed(f"another length executes: {operators.works(compiling.job())}")


@covers("op_set_compile_flag.unknown_flag")
@isolated(FLAG)
def test_unknown_flag(acl, expect):
    """What a flag comes to that there is not is recorded."""
    expect.observed(acl.aclopSetCompileFlag(flag=9))
