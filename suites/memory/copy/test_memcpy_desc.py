"""aclrtGetMemcpyDescSize, aclrtSetMemcpyDesc, aclrtMemcpyAsyncWithDesc: copies described in device memory."""

from __future__ import annotations

from harness.plugin import covers, deadline, isolated
from suites.memory.copy.kinds import INNER
from suites.memory.copy.layout import LARGE_COUNTS


@covers("get_memcpy_desc_size.ok")
def test_size(acl, expect):
    """The size of a descriptor is greater than 0 and the same at every call."""
    first = expect.success(acl.aclrtGetMemcpyDescSize(kind=INNER)).descSize
    second = expect.success(acl.aclrtGetMemcpyDescSize(kind=INNER)).descSize
    expect.true("a size above 0, twice the same", first > 0 and second == first)


@covers("set_memcpy_desc.ok")
def test_set(expect, described):
    """Source, destination and length of 4096 bytes are recorded, and neither block is touched."""
    trial, descriptor = described.described(4096), described.descriptor()
    result = described.set(descriptor, trial)
    expect.success(result)
    expect.unchanged(trial.source, trial.target, where="when the descriptor is set")


@covers("set_memcpy_desc.rewrite", uses=["aclrtMemcpyAsyncWithDesc", "aclrtGetMemcpyDescSize"])
def test_rewrite(described):
    """A descriptor that was set again, shorter or longer, copies the new blocks and no old ones."""
    first, *others = (described.described(count, seed=count) for count in (4096, 1021, 65537))
    descriptor = described.written(first)
    described.run_described(descriptor, first)
    described.rerun(descriptor, others)
    described.expect_moved_alone([first, *others])


@covers("set_memcpy_desc.addresses_same_device", uses=["aclrtGetMemcpyDescSize"])
def test_source_on_another_device(expect, described, peer):
    """A source on a second device is refused."""
    trial, descriptor = described.described(64), described.descriptor()
    result = described.set(descriptor, trial, srcAddr=peer.memory(64).ptr)
    expect.refused(result)


@covers("set_memcpy_desc.addresses_same_device", uses=["aclrtGetMemcpyDescSize"])
def test_target_on_another_device(expect, described, peer):
    """A destination on a second device is refused."""
    trial, descriptor = described.described(64), described.descriptor()
    result = described.set(descriptor, trial, dstAddr=peer.memory(64).ptr)
    expect.refused(result)


@covers("memcpy_async_with_desc.ok", uses=["aclrtSetMemcpyDesc", "aclrtGetMemcpyDescSize"])
def test_launch(described):
    """A launched descriptor copies its 4096 bytes, and nothing beside them, by the end of the stream."""
    trial = described.described(4096)
    descriptor = described.written(trial)
    described.run_described(descriptor, trial)
    described.expect_moved_alone(trial)


@covers("memcpy_async_with_desc.ok", uses=["aclrtSetMemcpyDesc", "aclrtGetMemcpyDescSize"])
def test_launch_of_every_length(described):
    """Descriptors side by side, of odd, even, small and large lengths, copy exactly those, queued at once."""
    trials = [described.described(count) for count in (1, 31, 32, 33, 63, 65, 4097, *LARGE_COUNTS)]
    described.launch_each(trials)
    described.expect_moved_alone(trials)


@covers("memcpy_async_with_desc.ok", uses=["aclrtSetMemcpyDesc", "aclrtGetMemcpyDescSize"])
@deadline(10)
def test_launch_while_the_default_stream_is_held(described, blocked_stream):
    """A descriptor launched on a stream of its own copies while the default stream is held."""
    trial = described.described(4097)
    descriptor = described.written(trial)
    with blocked_stream(None):
        described.run_described(descriptor, trial)
        described.expect_moved(trial)


@covers("memcpy_async_with_desc.reusable", uses=["aclrtSetMemcpyDesc", "aclrtGetMemcpyDescSize"])
def test_reusable(described):
    """One descriptor, launched 100 times, copies each time what its source holds at that moment."""
    relay = described.relay(launches=100, count=1021)
    described.run_relay(relay)
    described.expect_relayed(relay)


@covers("memcpy_async_with_desc.reusable", uses=["aclrtSetMemcpyDesc", "aclrtGetMemcpyDescSize"])
def test_reusable_on_another_stream(described, other_stream):
    """A descriptor that was launched on one stream copies again on another one."""
    trial = described.described(4096)
    descriptor = described.written(trial)
    described.run_described(descriptor, trial)
    again = described.again(trial)
    described.run_described(descriptor, again, stream=other_stream)
    described.expect_moved_alone(again)


@covers("memcpy_async_with_desc.desc_on_host")
@isolated("the library may take host memory for a descriptor")
def test_descriptor_on_host(described, memory):
    """What a descriptor in host memory does is recorded; other memory is unchanged."""
    bystander = memory.device(4096)
    described.launch(memory.pinned(4096, fill=0))
    described.expect_harmless(bystander)


@covers("memcpy_async_with_desc.order")
@isolated("the library may take anything for a descriptor")
def test_launch_without_set(described, memory):
    """What launching a zero-filled block that was never set does is recorded; other memory is unchanged."""
    descriptor, bystander = described.descriptor().fill(0), memory.device(4096)
    described.launch(descriptor)
    described.expect_harmless(bystander)


@covers("memcpy_async_with_desc.async", uses=["aclrtSetMemcpyDesc", "aclrtGetMemcpyDescSize"])
@deadline(10)
def test_launch_is_only_submitted(described, blocked_stream):
    """Nothing is copied while the stream is held, all of it when it is released."""
    trial = described.described(4097)
    descriptor = described.written(trial)
    with blocked_stream(described.stream) as hold:
        described.launch(descriptor, trial)
        described.expect_deferred(trial, hold)
