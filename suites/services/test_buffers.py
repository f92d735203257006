"""Shared buffers, and the names they had before."""

from __future__ import annotations

from harness.plugin import covers, covers_each, pattern, surfaces
from suites.services.buffers import SIZE
from suites.services.host_bytes import bytes_at, put_bytes

USER_BYTES = 96
MOST_CHAINED = 128
RESERVED = (
    "aclrtAllocBuf",
    "aclrtFreeBuf",
    "aclrtGetBufData",
    "aclrtSetBufUserData",
    "aclrtGetBufUserData",
    "aclrtSetBufDataLen",
    "aclrtGetBufDataLen",
    "aclrtCopyBufRef",
    "aclrtAppendBufChain",
    "aclrtGetBufFromChain",
    "aclrtGetBufChainNum",
)


@covers_each("reserved", *RESERVED)
@surfaces("c")
def test_reserved(library, expect, api):
    """Whether the reserved function is exported is recorded; it is not called."""
    expect.observed(f"exported: {library.exports(api)}")


@covers("tdt_alloc_buf.initial_length")
def test_fresh_buffer(buffers, expect):
    """No byte of a new buffer is in use."""
    expect.true("bytes in use", buffers.length(buffers.make()), 0)


@covers("tdt_get_buf_data.size")
def test_size(acl, buffers, expect):
    """A buffer is as large as was asked for."""
    told = expect.success(acl.acltdtGetBufData(buf=buffers.make(SIZE)))
    expect.true(f"at least {SIZE} bytes", told.size >= SIZE)


@covers("tdt_set_buf_data_len.round_trip")
def test_length(acl, buffers, expect):
    """A length that was set is read back."""
    buffer = buffers.make()
    expect.success(acl.acltdtSetBufDataLen(buf=buffer, len=100))
    expect.true("bytes in use", buffers.length(buffer), 100)


@covers("tdt_set_buf_user_data.round_trip")
def test_user_data(acl, buffers, memory, expect):
    """The user's bytes are read back."""
    buffer, data = buffers.make(), memory.pageable(USER_BYTES).write(pattern(USER_BYTES))
    expect.success(acl.acltdtSetBufUserData(buf=buffer, dataPtr=data, size=USER_BYTES, offset=0))
    expect.data(buffers.user_bytes(buffer, USER_BYTES), pattern(USER_BYTES), "the user's bytes")


@covers("tdt_copy_buf_ref.shares_data")
def test_reference(buffers, expect):
    """What is written through a buffer is read through its reference."""
    buffer = buffers.make()
    reference = buffers.reference(buffer)
    put_bytes(buffers.data(buffer), b"shared")
    expect.true("the bytes of the reference", bytes_at(buffers.data(reference), 6), b"shared")


@covers("tdt_copy_buf_ref.free_each")
def test_free_the_original(acl, buffers, expect):
    """A reference outlives its original, and is freed by itself."""
    buffer = buffers.make()
    reference = buffers.reference(buffer)
    put_bytes(buffers.data(buffer), b"shared")
    expect.success(acl.acltdtFreeBuf(buf=buffer))
    expect.true("the bytes of the reference", bytes_at(buffers.data(reference), 6), b"shared")
    expect.success(acl.acltdtFreeBuf(buf=reference))


@covers("tdt_append_buf_chain.max_128")
def test_long_chain(buffers, expect):
    """A chain takes 128 buffers with its head, and not one more."""
    head = buffers.make()
    buffers.append(head, MOST_CHAINED - 1)
    expect.refused(buffers.try_append(head, buffers.make(64)))


@covers("tdt_get_buf_chain_num.counts")
def test_count(acl, buffers, expect):
    """A head and two more count as three."""
    head = buffers.make()
    buffers.append(head, 2)
    expect.true("buffers in the chain", expect.success(acl.acltdtGetBufChainNum(headBuf=head)).num, 3)


@covers("tdt_get_buf_from_chain.index_from_zero")
def test_head(acl, buffers, expect):
    """The first buffer of a chain is its head."""
    head = buffers.make()
    buffers.append(head)
    expect.true("the head", expect.success(acl.acltdtGetBufFromChain(headBuf=head, index=0)).buf, head)
