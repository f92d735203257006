"""aclrtCtxGetCurrentDefaultStream: the stream that NULL means, one for each context."""

from __future__ import annotations

from harness.plugin import covers, isolated


@covers("ctx_get_current_default_stream.same_as_null", uses=["aclrtStreamGetId"])
def test_same_as_null(acl, expect):
    """The handle and NULL are one stream."""
    stream = expect.success(acl.aclrtCtxGetCurrentDefaultStream()).stream
    named, null = acl.aclrtStreamGetId(stream=stream), acl.aclrtStreamGetId(stream=None)
    expect.true("two ids", named.ok and null.ok)
    expect.true("the id of NULL", null.streamId, named.streamId)


@covers("ctx_get_current_default_stream.same_as_null")
def test_in_order_with_null(acl, contexts, expect, memory):
    """Work on the handle and work on NULL is done in the order it was given."""
    stream = expect.success(acl.aclrtCtxGetCurrentDefaultStream()).stream
    block = memory.device(64)
    contexts.fill_in_turn(block, [(stream, 1), (None, 2), (stream, 3)])
    expect.data(block, 3, "what the last fill left")


@covers("ctx_get_current_default_stream.differs_per_context")
def test_differs(acl, contexts, expect):
    """Two contexts have two default streams, and keep them."""
    made = contexts.create()
    first = expect.success(acl.aclrtCtxGetCurrentDefaultStream()).stream
    contexts.create()
    second = expect.success(acl.aclrtCtxGetCurrentDefaultStream()).stream
    expect.true("the streams differ", first != second)
    contexts.go(made)
    expect.true("the first one's again", acl.aclrtCtxGetCurrentDefaultStream().stream, first)


@covers("ctx_get_current_default_stream.destroy_forbidden", uses=["aclrtDestroyStream"])
@isolated("a library may destroy it")
def test_destroy(acl, expect):
    """What comes of destroying a default stream."""
    stream = expect.success(acl.aclrtCtxGetCurrentDefaultStream()).stream
    expect.observed(acl.aclrtDestroyStream(stream=stream))


@covers("ctx_get_current_default_stream.no_context")
def test_without_context(contexts, expect):
    """A thread without a context has no default stream."""
    expect.refused(contexts.without_context("aclrtCtxGetCurrentDefaultStream"))
