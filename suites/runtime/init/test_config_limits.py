"""aclInit: stacks and print buffers that a configuration sets."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated

KIB, MIB = 1 << 10, 1 << 20
SIMD_FIFO = "ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE"
SIMT_FIFO = "ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE"
SIMT_STACK = "ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE"
SIMT_DIVERGENCE = "ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE"


def stack(size: int) -> dict[str, dict[str, int]]:
    """The setting of a stack of each AI Core."""
    return {"StackSize": {"aicore_stack_size": size}}


@covers("init.aicore_stack_round_up")
@isolated("before aclInit")
def test_stack_rounded_up(process, expect):
    """A stack becomes a multiple of 16 KiB."""
    expect.success(process.init(stack(32 * KIB + 1)))
    process.expect_limit(48 * KIB)


@covers("init.aicore_stack_minimum")
@isolated("before aclInit")
def test_smallest_stack(process, expect):
    """A stack has 32 KiB at least."""
    expect.success(process.init(stack(1)))
    process.expect_limit(32 * KIB)


@covers("init.aicore_stack_default")
@isolated("before aclInit")
def test_default_stack(process, expect):
    """A stack has 32 KiB where nothing was said."""
    expect.success(process.init())
    process.expect_limit(32 * KIB)


@covers("init.aicore_stack_max_950", uses=["aclrtSetDevice"])
@covers("init.aicore_stack_max_a2_a3", uses=["aclrtSetDevice"])
@covers("init.aicore_stack_max_310b", uses=["aclrtSetDevice"])
@isolated("before aclInit")
def test_largest_stack(process, expect, case):
    """The largest stack of the product is taken."""
    expect.success(process.init_and_set(stack(LARGEST[case.profile.product])))


@covers("init.aicore_stack_max_950", uses=["aclrtSetDevice"])
@covers("init.aicore_stack_max_a2_a3", uses=["aclrtSetDevice"])
@covers("init.aicore_stack_max_310b", uses=["aclrtSetDevice"])
@isolated("before aclInit")
def test_stack_too_large(process, expect, case):
    """A larger stack is refused, when it is given or when the device is set."""
    expect.refused(process.init_and_set(stack(LARGEST[case.profile.product] + 1)))


LARGEST = {"950": 128 * KIB, "A3": 192 * KIB, "910b": 192 * KIB, "310b": 7680 * KIB}
"""Bytes of the largest stack of an AI Core by product."""


@covers("init.aicore_stack_other_products")
@isolated("before aclInit")
def test_no_stack(process, expect):
    """A product without the setting reads over it."""
    expect.success(process.init(stack(32 * KIB)))


@covers("init.simt_stack_round_up")
@isolated("before aclInit")
def test_simt_stacks(process, expect):
    """Stacks of threads become multiples of 128; the first is told for the 32 threads of a warp."""
    sizes = {"simt_stack_size": 1000, "simt_divergence_stack_size": 500}
    expect.success(process.init({"StackSize": sizes}))
    process.expect_limit(1024 * 32, SIMT_STACK)
    process.expect_limit(512, SIMT_DIVERGENCE)


@covers("init.simt_stack_round_up")
@isolated("before aclInit")
def test_default_simt_stacks(process, expect):
    """Stacks of threads have 1152 and 1024 bytes where nothing was said."""
    expect.success(process.init())
    process.expect_limit(1152 * 32, SIMT_STACK)
    process.expect_limit(1024, SIMT_DIVERGENCE)


@covers("init.simt_printf_fifo")
@isolated("before aclInit")
def test_simt_print_buffer(process, expect):
    """The print buffer of threads becomes a multiple of 8."""
    expect.success(process.init({"simt_printf_fifo_size": MIB + 1}))
    process.expect_limit(MIB + 8, SIMT_FIFO)


@covers("init.simt_printf_fifo")
@isolated("before aclInit")
def test_default_simt_print_buffer(process, expect):
    """The print buffer of threads has 2 MiB where nothing was said."""
    expect.success(process.init())
    process.expect_limit(2 * MIB, SIMT_FIFO)


@covers("init.simt_printf_fifo")
@isolated("before aclInit")
@pytest.mark.parametrize("size", [MIB - 1, 64 * MIB + 8])
def test_simt_print_buffer_out_of_range(process, expect, size):
    """What comes of a print buffer of threads that is too small or too large."""
    expect.observed(process.init({"simt_printf_fifo_size": size}))


@covers("init.simd_printf_fifo")
@isolated("before aclInit")
def test_print_buffer(process, expect):
    """The print buffer of a core becomes a multiple of 8."""
    expect.success(process.init({"simd_printf_fifo_size_per_core": KIB + 1}))
    process.expect_limit(KIB + 8, SIMD_FIFO)


@covers("init.simd_printf_fifo")
@isolated("before aclInit")
def test_default_print_buffer(process, expect):
    """The print buffer of a core has 32 KiB where nothing was said."""
    expect.success(process.init())
    process.expect_limit(32 * KIB, SIMD_FIFO)


@covers("init.simd_printf_fifo")
@isolated("before aclInit")
@pytest.mark.parametrize("size", [KIB - 1, 64 * MIB + 8])
def test_print_buffer_out_of_range(process, expect, size):
    """What comes of a print buffer of a core that is too small or too large."""
    expect.observed(process.init({"simd_printf_fifo_size_per_core": size}))


@covers("init.limits_need_device0")
@isolated("before aclInit, with a list of visible devices")
def test_hidden_device(process, expect, visible):
    """Limits are refused where the process does not see device 0."""
    visible.hide_first()
    expect.refused(process.init(stack(64 * KIB)))
