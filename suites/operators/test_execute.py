"""Executing loaded operators."""

from __future__ import annotations

import numpy as np

from harness.plugin import covers, covers_each, deadline
from suites.operators.loaded import WITH_HANDLE
from suites.threads import together

CALLS = ("aclopExecuteV2", "aclopExecute")
EVERY_CALL = (*CALLS, WITH_HANDLE)
THREADS = 4
ROUNDS = 100


@covers_each("executes", *CALLS)
def test_add(acl, expect, operators, stream, api):
    """An addition writes the sums."""
    job = operators.loaded_job("op_add")
    expect.success(acl.call(api, **job.on(stream)))
    operators.wait(stream)
    expect.data(job.result(), job.wanted)


@covers_each("async", *EVERY_CALL)
def test_does_not_wait(acl, expect, operators, stream, blocked_stream, api):
    """On a stream that is held the call returns, and the output is written once the stream goes on."""
    job = operators.loaded_job("op_add")
    asked = operators.asked(api, job, stream)
    with blocked_stream(stream) as hold:
        expect.success(acl.call(api, **asked))
        expect.unchanged(*job.output_blocks)
        hold.release()
    operators.wait(stream)
    expect.data(job.result(), job.wanted)


@covers("op_execute_v2.sync_with_max_shape")
def test_shape_from_data(acl, expect, operators, stream):
    """Where the output's shape depends on data, the call has ended at return and tells the shape."""
    job = operators.loaded_job("op_where")
    expect.success(acl.aclopExecuteV2(**job.on(stream)))
    expect.data(job.result(), job.wanted)
    expect.true("the dims", operators.told_dims(job.output_descs[0]), list(job.expected[0].shape))


@covers_each("optional_input_absent", "aclopExecuteV2", WITH_HANDLE)
def test_without_optional_input(acl, expect, operators, stream, api):
    """An optional input that is left out is an undefined description and an empty buffer."""
    job = operators.loaded_job("op_matmul")
    expect.success(acl.call(api, **operators.asked(api, job, stream)))
    operators.wait(stream)
    expect.data(job.result(), job.wanted)


@covers("op_execute_v2.host_placement")
def test_input_on_the_host(acl, expect, operators, stream):
    """An input on the host is taken from there."""
    job = operators.with_host_input(operators.loaded_job("op_add_host"))
    expect.success(acl.aclopExecuteV2(**job.on(stream)))
    operators.wait(stream)
    expect.data(job.result(), job.wanted)


@covers("op_execute_v2.null_attr")
def test_without_attributes(acl, expect, operators, stream):
    """An operator without attributes needs no attribute set."""
    job = operators.loaded_job("op_add")
    expect.success(acl.aclopExecuteV2(**{**job.on(stream), "attr": None}))
    operators.wait(stream)
    expect.data(job.result(), job.wanted)


@covers("op_execute_v2.const_same_as_compile")
def test_other_constant(acl, expect, operators, stream):
    """What happens where a constant is another one than that of the compilation is recorded."""
    job = operators.loaded_job("op_add_constant")
    operators.set_constant(job, 1, np.full(8, 5, np.float32))
    expect.observed(acl.aclopExecuteV2(**job.on(stream)))
    operators.wait(stream)


@covers("op_execute_v2.empty_outputs")
def test_empty_output(acl, expect, operators, stream):
    """Where the output is empty nothing is run."""
    job = operators.with_empty_output(operators.loaded_job("op_add"))
    expect.success(acl.aclopExecuteV2(**job.on(stream)))
    operators.wait(stream)
    expect.unchanged(*job.output_blocks)


@covers("op_execute_v2.null_data_with_size")
def test_buffer_without_address(acl, expect, operators, stream):
    """An input of some bytes without an address is refused."""
    job = operators.loaded_job("op_add")
    nowhere = operators.buffer(None, 32)
    result = acl.aclopExecuteV2(**job.changed(inputs=(nowhere, job.inputs[1])).on(stream))
    expect.refused(result, unchanged=job.output_blocks)


@covers_each("unknown_op", *CALLS)
def test_unknown_operator(acl, expect, operators, stream, api):
    """An operator that nobody has loaded is refused."""
    job = operators.unknown_job()
    expect.refused(acl.call(api, **job.on(stream)), unchanged=job.output_blocks)


@covers("op_create_handle.unknown_op")
def test_handle_of_unknown_operator(acl, expect, operators):
    """There is no handle of an operator that nobody has loaded."""
    expect.refused(acl.aclopCreateHandle(**operators.unknown_job().for_handle))


@covers("op_execute.deprecated")
def test_same_as_the_newer_call(acl, expect, operators, stream):
    """The older call writes what the newer one writes."""
    job = operators.loaded_job("op_mul")
    operators.call("aclopExecuteV2", **job.on(stream))
    operators.wait(stream)
    newer = job.result()
    job.output_blocks[0].fill(0)
    expect.success(acl.aclopExecute(**job.on(stream)))
    operators.wait(stream)
    expect.data(job.result(), newer)


@covers("op_execute.output_desc_untouched")
def test_output_description(acl, expect, operators, stream):
    """The older call leaves the output's description as it is."""
    job = operators.loaded_job("op_add")
    before = operators.told_dims(job.output_descs[0])
    acl.aclopExecute(**job.on(stream))
    operators.wait(stream)
    expect.true("the dims", operators.told_dims(job.output_descs[0]), before)


@covers_each("thread_streams", *EVERY_CALL)
@deadline(120)
def test_threads(acl, expect, operators, api):
    """Threads with a stream each execute side by side, and every output is right."""
    right = together(acl, operators.workers(acl, api, THREADS, ROUNDS))
    expect.true("right outputs", right, [ROUNDS] * THREADS)
