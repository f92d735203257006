"""aclrtMallocHost and aclrtMallocHostWithCfg: what the memory they give is like."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each, deadline, pattern, surfaces
from suites.memory.alloc.sizes import mixed
from suites.memory.host.host_blocks import (
    FAMILY,
    MALLOC_HOST,
    MALLOC_HOST_WITH_CFG,
    SIZES,
    Asked,
    told_content,
)
from suites.memory.host.system_io import WAYS, through_the_system
from suites.memory.virtual.properties import KIB, MIB

WHOLE_BLOCKS = pytest.mark.parametrize(
    "size", [4097, 2 * MIB, 2 * MIB + 1, 5 * MIB], ids=["4097", "2MiB", "2MiB+1", "5MiB"]
)
SAME_ADDRESS = {"attrs": [{"attr": "ACL_RT_MEM_ATTR_VA_FLAG", "value": {"vaFlag": 1}}], "numAttrs": 1}


@covers_each("addr_align_64", *FAMILY)
def test_addr_align_64(api, host_blocks):
    """102 live blocks of 1 byte to 5 MiB start at multiples of 64."""
    asked = host_blocks.ask_for(api, [*mixed(100, [*SIZES, MIB]), 2 * MIB + 1, 5 * MIB])
    host_blocks.expect_aligned(*asked)


@covers_each("is_pinned", *FAMILY)
def test_cpu_reaches_every_byte(api, host_blocks):
    """Live blocks have no byte in common, and keep what the CPU writes to every byte of them."""
    asked = host_blocks.ask_for(api, mixed(30, SIZES))
    host_blocks.expect_usable(*asked)


@covers_each("is_pinned", *FAMILY)
@pytest.mark.parametrize("way", list(WAYS))
def test_system_uses_it(api, host_blocks, way):
    """The operating system reads into a block and writes it out."""
    block = host_blocks.taken(64 * KIB + 100, api)
    problem = through_the_system(way, block)
    host_blocks.expect_passed(problem, block)


@covers_each("is_pinned", *FAMILY, uses=["aclrtPointerGetAttributes"])
@pytest.mark.parametrize("offset", [0, 4097], ids=["start", "inside"])
def test_location_is_host(api, acl, host_blocks, offset):
    """The library says that the block lies on the host."""
    block = host_blocks.taken(3 * 4096, api)
    result = acl.aclrtPointerGetAttributes(ptr=block.at(offset))
    host_blocks.expect_location(result, "HOST")


@covers("malloc_host_with_cfg.cfg_null_ok")
def test_without_configuration(acl, host_blocks):
    """A block that was asked for without a configuration is there from end to end, like any other."""
    result = acl.call(MALLOC_HOST_WITH_CFG, size=3 * 4096, cfg=None)
    asked = Asked(MALLOC_HOST_WITH_CFG, 3 * 4096, result)
    host_blocks.expect_usable(asked)
    host_blocks.expect_aligned(asked)


@covers("malloc_host_with_cfg.cfg_null_ok", uses=["aclrtPointerGetAttributes"])
def test_location_without_configuration(host_blocks):
    """A block without a configuration lies where one of aclrtMallocHost does."""
    plain, block = host_blocks.taken(3 * 4096), host_blocks.unconfigured(3 * 4096)
    host_blocks.expect_same_location([block.ptr, block.at(4097)], plain.ptr)


@covers("malloc_host_with_cfg.is_pinned", uses=["aclrtMemcpyAsync"])
@deadline(10)
def test_copy_without_configuration_returns_early(copies, host_blocks, memory, stream, blocked_stream):
    """A copy from a block without a configuration comes back while its stream is held."""
    trial = copies.from_block(host_blocks.unconfigured(64 * KIB), memory.device(64 * KIB))
    with blocked_stream(stream) as hold:
        copies.submit("aclrtMemcpyAsync", trial, stream=stream)
        copies.expect_deferred(trial, hold)


@covers_each("is_pinned", *FAMILY, uses=["aclrtMemcpyAsync"])
@deadline(10)
def test_copy_from_it_returns_early(api, copies, host_blocks, memory, stream, blocked_stream):
    """An asynchronous copy from the block comes back while its stream is held, and is right in the end."""
    trial = copies.from_block(host_blocks.taken(64 * KIB, api), memory.device(64 * KIB))
    with blocked_stream(stream) as hold:
        copies.submit("aclrtMemcpyAsync", trial, stream=stream)
        copies.expect_deferred(trial, hold)


@covers_each("is_pinned", *FAMILY, uses=["aclrtMemcpyAsync"])
@deadline(10)
def test_copy_to_it_returns_early(api, copies, host_blocks, memory, stream, blocked_stream):
    """An asynchronous copy to the block comes back while its stream is held, and is right in the end."""
    trial = copies.from_block(memory.device(64 * KIB), host_blocks.taken(64 * KIB, api))
    with blocked_stream(stream) as hold:
        copies.submit("aclrtMemcpyAsync", trial, stream=stream)
        copies.expect_deferred(trial, hold)


@covers_each("is_pinned", *FAMILY, uses=["aclrtMemcpy"])
@pytest.mark.parametrize(
    "size", [4097, 2 * MIB, 2 * MIB + 1, 5 * MIB], ids=["4097", "2MiB", "2MiB+1", "5MiB"]
)
def test_copy_of_a_whole_block(api, copies, host_blocks, memory, size):
    """A block is copied to the device from its first byte to its last."""
    trial = copies.from_block(host_blocks.taken(size, api), memory.device(size))
    copies.run("aclrtMemcpy", trial)
    copies.expect_moved(trial)


@covers_each("is_pinned", *FAMILY, uses=["aclrtMemcpy"])
@pytest.mark.parametrize(
    "size", [4097, 2 * MIB, 2 * MIB + 1, 5 * MIB], ids=["4097", "2MiB", "2MiB+1", "5MiB"]
)
def test_copy_to_a_whole_block(api, copies, host_blocks, memory, size):
    """A block is filled from the device from its first byte to its last."""
    trial = copies.from_block(memory.device(size), host_blocks.taken(size, api))
    copies.run("aclrtMemcpy", trial)
    copies.expect_moved(trial)


@covers_each("rc_is_device_memory", *FAMILY, uses=["aclrtMemcpy"])
def test_device_copies_from_it(api, acl, host_blocks, memory):
    """Where host and device share memory, a copy inside the device takes the block as its source."""
    source = host_blocks.taken(4 * KIB + 8, api).write(pattern(4 * KIB + 8, 1))
    target = memory.device(source.size)
    ends = {"dst": target.ptr, "destMax": target.size, "src": source.ptr, "count": source.size}
    result = acl.aclrtMemcpy(**ends, kind="ACL_MEMCPY_DEVICE_TO_DEVICE")
    host_blocks.expect_moved(result, source, target)


@covers_each("rc_is_device_memory", *FAMILY, uses=["aclrtMemcpy"])
def test_device_copies_to_it(api, acl, host_blocks, memory):
    """Where host and device share memory, the CPU sees what the device has copied into the block."""
    source, target = memory.device(4 * KIB + 8), host_blocks.taken(4 * KIB + 8, api)
    source.write(pattern(source.size, 1))
    ends = {"dst": target.ptr, "destMax": target.size, "src": source.ptr, "count": source.size}
    result = acl.aclrtMemcpy(**ends, kind="ACL_MEMCPY_DEVICE_TO_DEVICE")
    host_blocks.expect_moved(result, source, target)


@covers_each("rc_is_device_memory", *FAMILY)
def test_takes_device_memory(api, host_blocks, figures):
    """Where host and device share memory, a block takes normal pages of the device."""
    before = figures.free("NORMAL")
    asked = host_blocks.ask(api, 128 * MIB)
    host_blocks.expect_device_memory(asked, before)


@covers_each("rc_is_device_memory", *FAMILY)
def test_shared_blocks_are_usable(api, host_blocks):
    """Where host and device share memory, live blocks keep what the CPU writes to every byte of them."""
    asked = host_blocks.ask_for(api, mixed(30, SIZES))
    host_blocks.expect_usable(*asked)


@covers("malloc_host.oversize")
@pytest.mark.parametrize(
    "size",
    [1 << 60, 2**64 - 1, 2**64 - 4094],
    ids=["1EiB", "SIZE_MAX", "SIZE_MAX-4093"],
)
def test_oversize(acl, host_blocks, size):
    """An absurd size is refused, leaves the output alone, and a hundred small requests succeed afterwards."""
    result = acl.aclrtMallocHost(size=size)
    host_blocks.expect_refused_cleanly(result)


@covers("malloc_host.not_initialised")
def test_fresh_content(host_blocks, expect):
    """What a fresh block holds may be anything, but it can be read; the block beside it is unharmed."""
    other = host_blocks.taken(4 * KIB).write(pattern(4 * KIB, 1))
    fresh = host_blocks.taken(4 * KIB)
    expect.observed(told_content([fresh]), corrupted=[other])


@covers("malloc_host.no_implicit_sync")
@pytest.mark.parametrize("default", [False, True], ids=["stream", "default-stream"])
@deadline(10)
def test_no_implicit_sync(host_blocks, releases, stream, blocked_stream, default):
    """A small and a large block are given while a stream is held."""
    queue = releases.queue(stream, default)
    with blocked_stream(queue):
        asked = host_blocks.ask_for(MALLOC_HOST, [MIB, 5 * MIB])
        releases.expect_all_done_while_held([each.result for each in asked], queue)


@covers("malloc_host.free_pairing")
@pytest.mark.parametrize("release", ["aclrtFreeHost", "aclrtFreeHostWithDevSync"])
def test_free_pairing(acl, host_blocks, expect, release):
    """A block is released by either call."""
    block = host_blocks.taken(MIB + 1, MALLOC_HOST)
    result = acl.call(release, hostPtr=block.ptr)
    expect.success(result)


@covers("malloc_host.free_pairing")
@pytest.mark.parametrize("release", ["aclrtFreeHost", "aclrtFreeHostWithDevSync"])
def test_free_in_another_thread(host_blocks, releases, expect, release):
    """A block is released by another thread that has set the same device."""
    block = host_blocks.taken(64 * KIB)
    result = releases.in_another_thread(release, hostPtr=block.ptr)
    expect.success(result)


@covers("malloc_host_with_cfg.va_flag_one", uses=["aclrtHostRegister"])
@surfaces("c")
@pytest.mark.parametrize("size", [64 * KIB, 4 * MIB], ids=["64KiB", "4MiB"])
def test_va_flag_one(acl, host_blocks, registrations, size):
    """With the flag, the device pointer of the registered block is the host pointer."""
    made = acl.call(MALLOC_HOST_WITH_CFG, size=size, cfg=SAME_ADDRESS)
    block = host_blocks.block_of(made, size)
    result = acl.aclrtHostRegister(**registrations.request("aclrtHostRegister", block))
    registrations.expect_same_address(result, block)
