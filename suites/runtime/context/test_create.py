"""aclrtCreateContext: a context with a default stream of its own, current where it was made."""

from __future__ import annotations

from harness.plugin import covers, isolated


@covers("create_context.becomes_current", uses=["aclrtGetCurrentContext"])
def test_becomes_current(acl, contexts, expect):
    """A new context is current in the thread that made it."""
    result = acl.aclrtCreateContext(deviceId=0)
    made = contexts.took(expect.success(result))
    expect.true("the current context", acl.aclrtGetCurrentContext().context, made)


@covers("create_context.has_default_stream")
def test_default_stream(acl, contexts, expect):
    """A new context has another default stream than the default context."""
    before = contexts.default_stream()
    contexts.took(expect.success(acl.aclrtCreateContext(deviceId=0)))
    after = contexts.default_stream()
    expect.true("two streams that are not null", 0 not in (before, after) and before != after)


@covers("create_context.stream_count")
def test_one_stream(acl, contexts, expect):
    """A context takes one stream of its device, and gives it back."""
    before = contexts.streams_left()
    made = contexts.took(expect.success(acl.aclrtCreateContext(deviceId=0)))
    expect.true("streams left with the context", contexts.streams_left(), before - 1)
    contexts.destroy(made)
    contexts.go(contexts.home)
    expect.true("streams left after it", contexts.streams_left(), before)


@covers("create_context.two_streams_310p")
def test_two_streams(acl, contexts, expect):
    """On a 310p a context takes two streams of its device."""
    before = contexts.streams_left()
    contexts.took(expect.success(acl.aclrtCreateContext(deviceId=0)))
    expect.true("streams left with the context", contexts.streams_left(), before - 2)


@covers("create_context.without_set_device", uses=["aclInit", "aclrtGetDevice"])
@isolated("before aclrtSetDevice")
def test_without_set_device(bare, expect, afterwards):
    """A context can be made before any device is set; its device is current then."""
    expect.success(bare.aclInit(configPath=None))
    made = expect.success(bare.aclrtCreateContext(deviceId=0)).context
    afterwards("aclrtDestroyContext", context=made)
    expect.true("the device", bare.aclrtGetDevice().deviceId, 0)
    stream = expect.success(bare.call("aclrtCreateStream")).stream
    expect.success(bare.call("aclrtDestroyStream", stream=stream))


@covers("create_context.several", uses=["aclrtSetCurrentContext", "aclrtGetCurrentContext"])
def test_several(acl, contexts, expect):
    """A device takes several contexts, and one at a time is current."""
    first = contexts.took(expect.success(acl.aclrtCreateContext(deviceId=0)))
    second = contexts.took(expect.success(acl.aclrtCreateContext(deviceId=0)))
    expect.true("the current context", acl.aclrtGetCurrentContext().context, second)
    expect.success(acl.aclrtSetCurrentContext(context=first))
    expect.true("the current context", acl.aclrtGetCurrentContext().context, first)


@covers("create_context.no_default_ipv350", uses=["aclrtGetCurrentContext"])
def test_ipv350(acl, contexts, expect):
    """What a new context of an IPV350 is good for without a default stream."""
    made = acl.aclrtCreateContext(deviceId=0)
    contexts.took(made)
    expect.observed(made)
