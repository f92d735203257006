"""aclrtDestroyContext: explicit contexts only, once, and what is left behind."""

from __future__ import annotations

from harness.plugin import covers, isolated


@covers("destroy_context.explicit_only")
@isolated("a library may destroy it")
def test_default_context(acl, contexts, expect):
    """The default context cannot be destroyed, and goes on working."""
    result = acl.aclrtDestroyContext(context=contexts.home)
    expect.refused(result)
    contexts.expect_works("of the default context")


@covers("destroy_context.twice")
@isolated("a handle that is no more")
def test_twice(acl, contexts, expect):
    """A context that is no more cannot be destroyed again."""
    gone = contexts.destroyed()
    expect.refused(acl.aclrtDestroyContext(context=gone))


@covers("destroy_context.restores_streams")
def test_streams_elsewhere(acl, contexts, expect, stream, memory):
    """Streams of other contexts go on when a context is destroyed."""
    block, made = memory.device(64), contexts.create_aside()
    expect.success(acl.aclrtDestroyContext(context=made))
    contexts.gone(made)
    contexts.go(contexts.home)
    contexts.fill_in_turn(block, [(stream, 1)])
    expect.data(block, 1, "what a stream of another context has filled")


@covers("destroy_context.current_context", uses=["aclrtGetCurrentContext"])
def test_current(acl, contexts, expect):
    """What is current after the current context has been destroyed."""
    made = contexts.create()
    expect.success(acl.aclrtDestroyContext(context=made))
    contexts.gone(made)
    expect.observed(acl.aclrtGetCurrentContext())
    contexts.go(contexts.home)


@covers("destroy_context.other_thread_current")
@isolated("a thread loses its context")
def test_of_another_thread(acl, contexts, expect):
    """What a thread can do whose context another one has destroyed."""
    made = contexts.create_aside()
    after = contexts.alone_in(made, lambda: contexts.after_elsewhere(made, "aclrtGetCurrentContext"))
    expect.observed(after)


@covers("destroy_context.restores_streams")
def test_streams_come_back(acl, contexts, expect):
    """A context whose streams are destroyed leaves as many streams as there were before it."""
    before = contexts.streams_left()
    made = contexts.with_streams(3)
    expect.success(acl.aclrtDestroyContext(context=made))
    contexts.gone(made)
    contexts.go(contexts.home)
    expect.true("streams left", contexts.streams_left(), before)
