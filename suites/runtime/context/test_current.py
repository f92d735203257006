"""aclrtSetCurrentContext and aclrtGetCurrentContext: which context a thread works on."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.threads import alone


@covers("set_current_context.switches", uses=["aclrtGetCurrentContext"])
def test_switch(acl, contexts, expect):
    """A thread works on the context it has set."""
    first, _ = contexts.create(), contexts.create()
    expect.success(acl.aclrtSetCurrentContext(context=first))
    expect.true("the current context", acl.aclrtGetCurrentContext().context, first)
    contexts.expect_works("of the context that was set")


@covers("set_current_context.last_wins", uses=["aclrtGetCurrentContext"])
def test_last_counts(acl, contexts, expect):
    """Of several contexts that were set the last one is current."""
    first, second = contexts.create(), contexts.create()
    results = [acl.aclrtSetCurrentContext(context=context) for context in (first, second, first)]
    expect.true("every call succeeds", all(result.ok for result in results))
    expect.true("the current context", acl.aclrtGetCurrentContext().context, first)


@covers("set_current_context.switches_device", uses=["aclrtGetDevice"])
def test_device(acl, contexts, expect, second_device):
    """A context of another device makes that device current."""
    there = contexts.create(second_device)
    contexts.go(contexts.home)
    expect.success(acl.aclrtSetCurrentContext(context=there))
    expect.true("the device", acl.aclrtGetDevice().deviceId, second_device)
    expect.success(acl.aclrtSetCurrentContext(context=contexts.home))
    expect.true("the device of the context before it", acl.aclrtGetDevice().deviceId, 0)


@covers("set_current_context.per_thread", uses=["aclrtGetCurrentContext"])
def test_other_threads(acl, contexts, expect):
    """A context that one thread sets changes nothing for another."""
    other = contexts.create_aside()
    result = alone(lambda: acl.aclrtSetCurrentContext(context=other))
    expect.success(result)
    expect.true("the current context of this thread", acl.aclrtGetCurrentContext().context, contexts.home)


@covers("set_current_context.per_thread", uses=["aclrtGetCurrentContext"])
def test_thread_without(acl, contexts, expect):
    """A thread that has set nothing has no context, whatever another one has set."""
    expect.success(acl.aclrtSetCurrentContext(context=contexts.create_aside()))
    expect.refused(alone(acl.aclrtGetCurrentContext))


@covers("set_current_context.shared_between_threads")
def test_shared(acl, contexts, expect):
    """A context serves another thread of the process as well."""
    made = contexts.create_aside()
    result = contexts.works_in_another_thread(lambda: acl.aclrtSetCurrentContext(context=made))
    expect.success(result)


@covers("set_current_context.destroyed")
@isolated("a handle that is no more")
def test_destroyed(acl, contexts, expect):
    """A context that is no more cannot be set."""
    gone = contexts.destroyed()
    expect.refused(acl.aclrtSetCurrentContext(context=gone))


@covers("set_current_context.reset_device", uses=["aclInit", "aclrtSetDevice", "aclrtResetDevice"])
@isolated("the device is reset")
def test_reset_device(bare, expect):
    """What comes of a context whose device has been reset."""
    expect.success(bare.aclInit(configPath=None))
    expect.success(bare.aclrtSetDevice(deviceId=0))
    made = expect.success(bare.call("aclrtCreateContext", deviceId=0)).context
    expect.success(bare.aclrtResetDevice(deviceId=0))
    expect.observed(bare.aclrtSetCurrentContext(context=made))


@covers("set_current_context.default_handle", uses=["aclrtGetCurrentContext"])
def test_default_again(acl, contexts, expect):
    """The default context can be set again after another."""
    contexts.create()
    expect.success(acl.aclrtSetCurrentContext(context=contexts.home))
    expect.true("the current context", acl.aclrtGetCurrentContext().context, contexts.home)


@covers("get_current_context.default_after_set_device", uses=["aclrtSetDevice"])
def test_default(acl, contexts, expect):
    """Threads that only set a device share its default context."""
    result = contexts.first_of_device(0)
    expect.success(result)
    expect.true("the same context, not null", result.context != 0 and result.context == contexts.home)


@covers("get_current_context.none")
def test_none(contexts, expect):
    """A thread without a device has no context."""
    expect.refused(contexts.without_context("aclrtGetCurrentContext"))


@covers("get_current_context.stable")
def test_stable(acl, contexts, expect):
    """Reading the context again gives the same handle."""
    contexts.create()
    read = {acl.aclrtGetCurrentContext().context for _ in range(10)}
    expect.true("handles read", len(read), 1)
