"""Conversions of elements, by a call and through a handle."""

from __future__ import annotations

import pytest

from harness.models.operators import CAST_TYPES
from harness.plugin import covers, isolated

TYPE = CAST_TYPES[0]


@covers("op_cast.casts")
@pytest.mark.parametrize("type", CAST_TYPES)
def test_cast(acl, expect, casting, operators, stream, type):
    """Floats become whole numbers or half ones of the same value."""
    job = casting.job(type)
    expect.success(acl.aclopCast(**casting.arguments(job, stream)))
    operators.wait(stream)
    expect.data(job.result(), job.wanted)


@covers("op_cast.async")
def test_does_not_wait(acl, expect, casting, operators, stream, blocked_stream):
    """On a stream that is held the call returns, and the output is written once the stream goes on."""
    job = casting.job(TYPE)
    with blocked_stream(stream) as hold:
        expect.success(acl.aclopCast(**casting.arguments(job, stream)))
        expect.unchanged(*job.output_blocks)
        hold.release()
    operators.wait(stream)
    expect.data(job.result(), job.wanted)


@covers("op_cast.truncate_reserved")
def test_reserved(expect, casting, stream):
    """What either value of the reserved argument comes to is recorded."""
    job = casting.job("int32")
    expect.observed(casting.outcome(job, stream, 0))
    expect.observed(casting.outcome(job, stream, 1))


@covers("op_cast.not_loaded")
@isolated("no operator may be loaded in the process")
def test_not_loaded(acl, expect, casting, stream):
    """Without the loaded operator a conversion is refused, and writes nothing."""
    job = casting.job(TYPE, loaded=False)
    expect.refused(acl.aclopCast(**casting.arguments(job, stream)), unchanged=job.output_blocks)


@covers("op_create_handle_for_cast.handle_executes", uses=("aclopExecWithHandle", "aclopDestroyHandle"))
@pytest.mark.parametrize("type", CAST_TYPES)
def test_handle(acl, expect, casting, operators, stream, type):
    """A handle of a conversion converts."""
    job = casting.job(type)
    made = expect.success(acl.aclopCreateHandleForCast(**casting.for_handle(job)))
    acl.aclopExecWithHandle(handle=made.handle, **job.buffers, stream=stream)
    operators.wait(stream)
    acl.aclopDestroyHandle(handle=made.handle)
    expect.data(job.result(), job.wanted)


@covers("op_create_handle_for_cast.truncate_reserved")
def test_reserved_of_handle(expect, casting, stream):
    """What a handle made with either value of the reserved argument comes to is recorded."""
    job = casting.job("int32")
    expect.observed(casting.outcome_with_handle(job, stream, 0))
    expect.observed(casting.outcome_with_handle(job, stream, 1))
