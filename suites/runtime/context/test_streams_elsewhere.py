"""Streams of one context while another one is current."""

from __future__ import annotations

from harness.plugin import covers


@covers("destroy_stream.foreign_context")
def test_destroy(acl, contexts, expect, stream):
    """A stream cannot be destroyed from another context, and stays as it is."""
    with contexts.inside(contexts.create_aside()):
        result = acl.aclrtDestroyStream(stream=stream)
    expect.refused(result)


@covers("synchronize_stream.foreign_context")
def test_synchronize(acl, contexts, expect, stream, blocked_stream):
    """A stream can be waited for from another context."""
    other = contexts.create_aside()
    with blocked_stream(stream) as hold:
        contexts.soon(hold.release)
        with contexts.inside(other):
            result = acl.aclrtSynchronizeStream(stream=stream)
    expect.success(result)


@covers("record_event.foreign_context")
def test_record(acl, contexts, expect, stream, event):
    """An event cannot be recorded on a stream of another context."""
    with contexts.inside(contexts.create_aside()):
        result = acl.aclrtRecordEvent(event=event, stream=stream)
    expect.refused(result)
