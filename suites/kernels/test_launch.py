"""Kernels on streams: with their arguments in device memory, in a list, in host memory, in an array."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each, isolated
from suites.kernels.launches import FACTOR, LEFT, as_bytes
from suites.kernels.workbench import ADD, FILL, MARK, SCALE, address, packed, word


@covers("launch_kernel.runs")
def test_device_arguments(launches):
    """A kernel adds two arrays with its arguments in device memory."""
    target = launches.target()

    result = launches.on_device(ADD, launches.sum_of(target))

    launches.expect_sum(result, target)


@covers("launch_kernel.asynchronous")
def test_asynchronous(expect, launches, blocked_stream):
    """The launch comes back while its stream is held, and nothing has run."""
    target = launches.target()
    with blocked_stream(launches.stream) as hold:
        result = launches.on_device(FILL, launches.fill_of(target, 7))
        expect.success(result)
        expect.unchanged(target)
        hold.release()
    launches.wait()
    launches.expect_words(target, 7)


@covers("launch_kernel.every_block")
def test_blocks(expect, launches):
    """Five blocks mark a word each."""
    target = launches.target(words=8)

    result = launches.on_device(MARK, [address(target)], blocks=5)

    expect.success(result)
    launches.wait()
    launches.expect_words(target, 5, words=5)


@covers("launch_kernel.order")
def test_order(expect, launches):
    """A copy before the kernel and one behind it come before and behind it."""
    first, second, last = launches.target(), launches.target(), launches.target()
    launches.copy(first, launches.floats(LEFT))
    addends = (address(second), address(first), address(first), word(len(LEFT)))

    result = launches.on_device(ADD, addends)

    launches.copy(last, second)
    expect.success(result)
    launches.wait()
    launches.expect_floats(last, [2 * number for number in LEFT])


@covers("launch_kernel.captured")
def test_captured(launches):
    """A captured kernel runs with each execution, and not before."""
    total = launches.floats([0.0])
    addends = (address(total), address(total), address(launches.floats([1.0])), word(1))

    model = launches.recorded(launches.ready(ADD, addends))

    launches.expect_floats(total, [0.0])
    launches.replay(model, 10)
    launches.expect_floats(total, [10.0])


@covers_each("invalid_handle", "aclrtLaunchKernel", "aclrtLaunchKernelV2", "aclrtLaunchKernelWithHostArgs")
@isolated("the library may follow the handle")
def test_no_kernel(api, expect, launches):
    """Something that is no kernel is refused."""
    result = launches.of_no_kernel(api)

    expect.refused(result)


@covers("launch_kernel_v2.null_config")
def test_without_configuration(launches):
    """A launch without a configuration runs the kernel."""
    target = launches.target()

    result = launches.unconfigured(ADD, launches.sum_of(target))

    launches.expect_sum(result, target)


@covers("launch_kernel_with_config.runs")
def test_argument_list(kernels, launches):
    """A kernel adds two arrays with its arguments in a list."""
    target, kernel = launches.target(), kernels.kernel(ADD)
    arguments = kernels.argument_list(kernel, launches.sum_of(target))

    result = launches.in_list(kernel, kernels.finalised(arguments))

    launches.expect_sum(result, target)


@covers("launch_kernel_with_host_args.runs")
def test_host_arguments(launches):
    """A kernel adds two arrays with its arguments in host memory."""
    target = launches.target()

    result = launches.on_host(ADD, packed(ADD, *launches.sum_of(target)))

    launches.expect_sum(result, target)


@covers("launch_kernel_with_host_args.place_holder")
@pytest.mark.parametrize("gap", [0, 64], ids=["next", "apart"])
def test_host_placeholder(expect, launches, gap):
    """A kernel reads through a placeholder what lies behind the arguments."""
    target = launches.target()
    arguments = packed(SCALE, address(target), address(launches.floats(LEFT)), bytes(8)) + bytes(gap)
    record = as_bytes([FACTOR]) + word(len(LEFT))
    place = {"addrOffset": 16, "dataOffset": len(arguments)}

    result = launches.on_host(SCALE, arguments + record, [place])

    expect.success(result)
    launches.wait()
    launches.expect_floats(target, [FACTOR * number for number in LEFT])


@covers("launch_kernel_with_args_array.runs")
def test_argument_array(launches):
    """A kernel adds two arrays with a pointer to each argument."""
    target = launches.target()

    result = launches.in_array(ADD, launches.sum_of(target))

    launches.expect_sum(result, target)
