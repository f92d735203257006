"""Data buffers: an address and a size, kept for datasets."""

from __future__ import annotations

from harness.plugin import covers, isolated, pattern

BEYOND_4G = 0x1_0000_0010


@covers("create_data_buffer.keeps_address_and_size")
def test_create(acl, memory, tensors):
    """The object tells the address and the size it was made with."""
    block = memory.device(1024)
    result = acl.aclCreateDataBuffer(data=block, size=1024)
    tensors.expect_buffer(result, block.ptr, 1024)


@covers("create_data_buffer.keeps_address_and_size")
def test_create_odd_address(acl, memory, tensors):
    """An address that is aligned to nothing is kept as it is."""
    block = memory.device(1024)
    result = acl.aclCreateDataBuffer(data=block.at(33), size=7)
    tensors.expect_buffer(result, block.at(33), 7)


@covers("create_data_buffer.null_empty")
def test_create_empty(acl, tensors):
    """A null address with size 0 makes an empty object."""
    result = acl.aclCreateDataBuffer(data=None, size=0)
    tensors.expect_buffer(result, 0, 0)


@covers("create_data_buffer.host_memory")
def test_create_host_memory(acl, memory, tensors):
    """Pinned host memory is as good as device memory."""
    block = memory.pinned(512)
    result = acl.aclCreateDataBuffer(data=block, size=512)
    tensors.expect_buffer(result, block.ptr, 512)


@covers("create_data_buffer.distinct_objects")
def test_create_twice(acl, memory, tensors):
    """Two objects over the same memory are different ones."""
    block = memory.device(64)
    first = acl.aclCreateDataBuffer(data=block, size=64)
    second = acl.aclCreateDataBuffer(data=block, size=64)
    tensors.expect_own_objects([first, second], block.ptr, 64)


@covers("create_data_buffer.needs_no_device")
@isolated("no device is set")
def test_create_without_device(initialised_only, acl, memory, tensors):
    """An object can be made before any device is set."""
    block = memory.pageable(64)
    result = acl.aclCreateDataBuffer(data=block, size=64)
    tensors.expect_buffer(result, block.ptr, 64)


@covers("create_data_buffer.empty_tensor_memory")
def test_create_for_empty_tensor(acl, expect, memory):
    """What is made of one byte for an empty tensor is recorded."""
    block = memory.device(1)
    result = acl.aclCreateDataBuffer(data=block, size=0)
    expect.observed(result, corrupted=[block])


@covers("destroy_data_buffer.object_destroyed")
def test_destroy(memory, tensors):
    """Every one of a thousand objects is destroyed, and none is left."""
    block = memory.device(64)
    made = {"data": block, "size": 64}
    results = tensors.rounds(1000, "aclCreateDataBuffer", "aclDestroyDataBuffer", "dataBuffer", **made)
    tensors.expect_all_success(results)


@covers("destroy_data_buffer.keeps_memory")
def test_destroy_keeps_memory(acl, expect, memory, tensors):
    """The memory of a destroyed object holds what it held, and is the caller's to free."""
    block = memory.device(4096, guard=0).write(pattern(4096))
    buffer = tensors.buffer(block, 4096)
    result = acl.aclDestroyDataBuffer(dataBuffer=buffer)
    expect.success(result)
    expect.unchanged(block)


@covers("get_data_buffer_addr.value")
def test_address(acl, expect, memory, tensors):
    """The address given at creation is told."""
    block = memory.device(16)
    result = acl.aclGetDataBufferAddr(dataBuffer=tensors.buffer(block, 16))
    expect.true("the address", result.value, block.ptr)


@covers("get_data_buffer_addr.value")
def test_address_after_update(acl, expect, memory, tensors):
    """The address of the last update is told."""
    second = memory.device(32)
    buffer = tensors.updated_buffer(memory.device(16), second, 32)
    result = acl.aclGetDataBufferAddr(dataBuffer=buffer)
    expect.true("the address", result.value, second.ptr)


@covers("get_data_buffer_size_v2.value")
def test_size_v2(acl, expect, memory, tensors):
    """The size given at creation is told in bytes."""
    result = acl.aclGetDataBufferSizeV2(dataBuffer=tensors.buffer(memory.device(777), 777))
    expect.true("the size", result.value, 777)


@covers("get_data_buffer_size_v2.value")
def test_size_v2_after_update(acl, expect, memory, tensors):
    """The size of the last update is told in bytes."""
    buffer = tensors.updated_buffer(memory.device(777), memory.device(12), 12)
    result = acl.aclGetDataBufferSizeV2(dataBuffer=buffer)
    expect.true("the size", result.value, 12)


@covers("get_data_buffer_size_v2.beyond_4g")
def test_size_v2_beyond_4g(acl, expect, memory, tensors):
    """A size above 4 GiB is told in full; the memory is never touched."""
    buffer = tensors.buffer(memory.device(64), BEYOND_4G)
    result = acl.aclGetDataBufferSizeV2(dataBuffer=buffer)
    expect.true("the size", result.value, BEYOND_4G)


@covers("get_data_buffer_size.same_as_v2", "get_data_buffer_size.deprecated")
def test_size(acl, expect, memory, tensors):
    """The older call tells the same size."""
    buffer = tensors.buffer(memory.device(777), 777)
    result = acl.aclGetDataBufferSize(dataBuffer=buffer)
    expect.true("the size of both calls", (result.value, tensors.size(buffer)), (777, 777))


@covers("get_data_buffer_size.beyond_4g")
def test_size_beyond_4g(acl, expect, memory, tensors):
    """What the older call makes of a size above 4 GiB is recorded."""
    buffer = tensors.buffer(memory.device(64), BEYOND_4G)
    result = acl.aclGetDataBufferSize(dataBuffer=buffer)
    expect.observed(result)


@covers("update_data_buffer.replaces")
def test_update(acl, expect, memory, tensors):
    """Address and size are both replaced."""
    buffer, other = tensors.buffer(memory.device(16), 16), memory.device(32)
    result = acl.aclUpdateDataBuffer(dataBuffer=buffer, data=other, size=32)
    expect.success(result)
    tensors.expect_describes(buffer, other.ptr, 32)


@covers("update_data_buffer.old_memory_kept")
def test_update_keeps_memory(acl, expect, memory, tensors):
    """The memory that was described before holds what it held, and is the caller's to free."""
    block = memory.device(4096, guard=0).write(pattern(4096))
    buffer = tensors.buffer(block, 4096)
    result = acl.aclUpdateDataBuffer(dataBuffer=buffer, data=memory.device(32), size=32)
    expect.success(result)
    expect.unchanged(block)


@covers("update_data_buffer.to_empty")
def test_update_to_empty(acl, expect, memory, tensors):
    """An object can be made empty."""
    buffer = tensors.buffer(memory.device(16), 16)
    result = acl.aclUpdateDataBuffer(dataBuffer=buffer, data=None, size=0)
    expect.success(result)
    tensors.expect_describes(buffer, 0, 0)
