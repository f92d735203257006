"""aclrtDeviceSetLimit, aclrtDeviceGetLimit: stacks and print buffers of all devices of the process."""

from __future__ import annotations

import json

import pytest

from harness.plugin import covers, isolated
from suites.runtime.device.limits import (
    KIB,
    MIB,
    SIMD_FIFO,
    SIMD_STACK,
    SIMT_DIVERGENCE,
    SIMT_FIFO,
    SIMT_STACK,
)

GET = "aclrtDeviceGetLimit"
SET = "aclrtDeviceSetLimit"
TURNS = ["aclrtSetDevice", "aclrtResetDevice"]


@covers("device_set_limit.before_set_device", uses=[GET, *TURNS])
@isolated("before aclrtSetDevice")
def test_before_device(initialised_only, limits, devices, expect):
    """A limit can be set before the device is."""
    expect.success(limits.set(64 * KIB))
    devices.set()
    expect.true("the limit", limits.read(), 64 * KIB)


@covers("device_set_limit.after_refcount_zero", uses=[GET, *TURNS])
@isolated("resets the device")
def test_between_devices(initialised_only, limits, devices, expect):
    """A limit can be changed between two uses of a device."""
    expect.success(limits.set(64 * KIB))
    expect.true("set and reset", devices.turns("set reset"), [True, True])
    expect.success(limits.set(96 * KIB))
    devices.set()
    expect.true("the limit", limits.read(), 96 * KIB)


@covers("device_set_limit.last_writer_wins", uses=[GET, "aclInit"])
@isolated("before aclInit")
def test_after_configuration(bare, limits, expect, tmp_path):
    """A limit that is set counts more than the configuration before it."""
    path = tmp_path / "acl.json"
    path.write_text(json.dumps({"StackSize": {"aicore_stack_size": 64 * KIB}}))
    expect.success(bare.aclInit(configPath=str(path)))
    expect.true("the limit of the configuration", limits.read(), 64 * KIB)
    expect.success(limits.set(96 * KIB))
    expect.true("the limit", limits.read(), 96 * KIB)


@covers("device_set_limit.process_wide", uses=[GET, *TURNS])
@isolated("changes a limit of the process")
def test_devices(acl, limits, devices, expect, second_device):
    """All devices have the same limits."""
    expect.success(limits.set(64 * KIB))
    there = devices.elsewhere_with(second_device, limits.read)
    expect.true("the limits of both devices", (limits.read(), there), (64 * KIB, 64 * KIB))


@covers("device_set_limit.simd_stack_rounding", uses=[GET])
@isolated("changes a limit of the process")
def test_stack(acl, limits, expect):
    """A stack has 32 KiB or a multiple of 16 KiB above that."""
    read = limits.set_and_read([32 * KIB + 1, 1, 32 * KIB, 48 * KIB + 1])
    expect.true("limits", read, [48 * KIB, 32 * KIB, 32 * KIB, 64 * KIB])


@covers("device_set_limit.simd_stack_max", uses=TURNS)
@isolated("before aclrtSetDevice")
def test_largest_stack(initialised_only, limits, expect):
    """The largest stack of the product is taken."""
    results = limits.set_and_activate(limits.largest_stack())
    expect.true("codes", [result.code for result in results], [0, 0])


@covers("device_set_limit.simd_stack_max", uses=TURNS)
@isolated("before aclrtSetDevice")
def test_stack_too_large(initialised_only, limits, expect):
    """A larger stack is refused, when it is set or when the device is."""
    results = limits.set_and_activate(limits.largest_stack() + 1)
    expect.true("both succeed", all(result.ok for result in results), False)


@covers("device_set_limit.simd_printf_range", uses=[GET])
@isolated("changes a limit of the process")
def test_print_buffer(acl, limits, expect):
    """The print buffer of a core is a multiple of 8."""
    read = limits.set_and_read([KIB, KIB + 1, 64 * MIB], SIMD_FIFO)
    expect.true("limits", read, [KIB, KIB + 8, 64 * MIB])


@covers("device_set_limit.simd_printf_range")
@isolated("changes a limit of the process")
@pytest.mark.parametrize("value", [KIB - 1, 64 * MIB + 1])
def test_print_buffer_out_of_range(acl, limits, expect, value):
    """The print buffer of a core is neither smaller than 1 KiB nor larger than 64 MiB."""
    expect.refused(limits.set(value, SIMD_FIFO))


@covers("device_set_limit.simt_printf_range", uses=[GET])
@isolated("changes a limit of the process")
def test_simt_print_buffer(acl, limits, expect):
    """The print buffer of threads is a multiple of 8."""
    expect.true("limits", limits.set_and_read([MIB, MIB + 1], SIMT_FIFO), [MIB, MIB + 8])


@covers("device_set_limit.simt_printf_range")
@isolated("changes a limit of the process")
@pytest.mark.parametrize("value", [MIB - 1, 64 * MIB + 1])
def test_simt_print_buffer_out_of_range(acl, limits, expect, value):
    """The print buffer of threads is neither smaller than 1 MiB nor larger than 64 MiB."""
    expect.refused(limits.set(value, SIMT_FIFO))


@covers("device_set_limit.simt_both_zero")
@isolated("changes a limit of the process")
@pytest.mark.parametrize("order", [(SIMT_STACK, SIMT_DIVERGENCE), (SIMT_DIVERGENCE, SIMT_STACK)], ids=str)
def test_no_simt_stack(acl, limits, expect, order):
    """Not both stacks of threads can be left out."""
    first, second = order
    expect.true("the first is taken", limits.set(0, first).code, 0)
    expect.refused(limits.set(0, second))


@covers("device_set_limit.hidden_device0", uses=["aclInit"])
@isolated("before aclInit, with a list of visible devices")
def test_hidden_device(visible, initialised_later, limits, expect):
    """A limit is refused where the process does not see device 0."""
    visible.hide_first()
    initialised_later()
    expect.refused(limits.set(64 * KIB))


@covers("device_set_limit.product")
@isolated("a library without the function may do anything")
def test_product(acl, expect):
    """Products without limits refuse them."""
    expect.unsupported(acl.aclrtDeviceSetLimit(limit=SIMD_STACK, value=64 * KIB))


@covers("device_get_limit.newest_value", uses=[SET, *TURNS])
@isolated("before aclrtSetDevice")
def test_newest(initialised_only, limits, devices, expect):
    """What was set last is read, in force or not."""
    limits.set(64 * KIB)
    devices.set()
    expect.success(limits.set(96 * KIB))
    expect.true("the limit", limits.read(), 96 * KIB)


@covers("device_get_limit.simt_stack_times_32", uses=[SET])
@isolated("changes a limit of the process")
def test_simt_stacks(acl, limits, expect):
    """A stack of threads is told for a warp's 32 of them, the other as it is."""
    expect.true("the stack", limits.set_and_read([256, 200], SIMT_STACK), [8192, 8192])
    expect.true("the other stack", limits.set_and_read([512, 500], SIMT_DIVERGENCE), [512, 512])
