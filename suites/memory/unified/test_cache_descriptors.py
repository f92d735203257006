"""aclrtCmoGetDescSize, aclrtCmoSetDesc and aclrtCmoAsyncWithDesc: cache operations by descriptor."""

from __future__ import annotations

from harness.plugin import covers, deadline, isolated

SIZE, SET = "aclrtCmoGetDescSize", "aclrtCmoSetDesc"


@covers("cmo_get_desc_size.ok")
def test_size(acl, caches):
    """A descriptor has a size, and it is the same every time."""
    results = [acl.aclrtCmoGetDescSize() for _ in range(3)]
    caches.expect_same_size(results)


@covers("cmo_set_desc.ok", uses=[SIZE])
def test_set(acl, caches):
    """A descriptor is written, and nothing beside it."""
    descriptor, block = caches.descriptor(), caches.block()
    result = acl.aclrtCmoSetDesc(cmoDesc=descriptor, src=block, size=block.size)
    caches.expect_recorded(result, descriptor)


@covers("cmo_set_desc.ok", uses=[SIZE])
def test_set_again(caches):
    """A descriptor that tells of one block can be made to tell of another one."""
    descriptor = caches.described(caches.block())
    result = caches.describe(descriptor, caches.block(64))
    caches.expect_recorded(result, descriptor)


@covers("cmo_async_with_desc.ok", uses=[SIZE, SET])
def test_launch(caches, stream):
    """Descriptors of blocks from one byte to 1 MiB are run, and no byte of the blocks changes."""
    blocks = caches.blocks()
    results = caches.launch_each(blocks, stream)
    caches.expect_harmless(results, blocks, stream)


@covers("cmo_async_with_desc.ok", uses=[SIZE, SET])
def test_launch_twice(caches, stream):
    """One descriptor can be run again and again."""
    block = caches.block()
    descriptor = caches.described(block)
    results = [caches.launch(descriptor, stream) for _ in range(3)]
    caches.expect_harmless(results, [block, descriptor], stream)


@covers("cmo_async_with_desc.async", uses=[SIZE, SET])
@deadline(5)
def test_async(caches, stream, blocked_stream):
    """The call comes back while its stream is held."""
    block = caches.block()
    descriptor = caches.described(block)
    with blocked_stream(stream) as hold:
        result = caches.launch(descriptor, stream)
        caches.expect_queued(result, hold)


@covers("cmo_async_with_desc.desc_alignment", uses=[SIZE, SET])
@isolated("a misaligned descriptor may become a failing task")
def test_misaligned_descriptor(caches, memory, stream):
    """What a descriptor at an address that is no multiple of 64 gives is recorded; the block is unharmed."""
    block, room = caches.block(), memory.device(4096)
    caches.describe(room.at(8), block)
    result = caches.launch(room.at(8), stream)
    caches.expect_observed(result, stream, block)


@covers("cmo_async_with_desc.set_first", uses=[SIZE])
@isolated("the library may take anything for a descriptor")
def test_descriptor_that_was_never_set(caches, stream):
    """What running a zero-filled block that was never set gives is recorded; other memory is unharmed."""
    other, descriptor = caches.block(), caches.descriptor().fill(0)
    result = caches.launch(descriptor, stream)
    caches.expect_observed(result, stream, other)
