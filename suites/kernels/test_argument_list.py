"""Argument lists: how many parameters they take, whose memory they live in, what is updated in them."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.kernels.launches import FACTOR, LEFT, as_bytes
from suites.kernels.workbench import FILL, SCALE, address, word


@covers("kernel_args_get_mem_size.not_smaller")
@pytest.mark.parametrize("size", [8, 64, 1000])
def test_memory_size(acl, expect, kernels, size):
    """A list needs no less than its arguments."""
    result = acl.aclrtKernelArgsGetMemSize(funcHandle=kernels.kernel(), userArgsSize=size)

    expect.success(result)
    expect.true("at least the arguments", result.actualArgsSize >= size, True)


@covers("kernel_args_append.max_128")
def test_most_parameters(acl, expect, kernels):
    """The 129th parameter is refused."""
    arguments = kernels.argument_list(kernels.kernel(), [word(number) for number in range(128)])

    result = acl.aclrtKernelArgsAppend(argsHandle=arguments, param=kernels.value(word(7)), paramSize=4)

    expect.refused(result)


@covers("kernel_args_append.copies", uses=("aclrtLaunchKernelWithConfig",))
def test_copied_value(acl, expect, kernels, launches):
    """What is done to the memory of a value later does not count."""
    kernel, target = kernels.kernel(FILL), launches.target()
    arguments = kernels.argument_list(kernel, [address(target)])
    value = kernels.value(word(7))

    result = acl.aclrtKernelArgsAppend(argsHandle=arguments, param=value, paramSize=4)

    expect.success(result)
    value.write(word(9))
    kernels.append(arguments, word(4))
    expect.success(launches.in_list(kernel, kernels.finalised(arguments)))
    launches.wait()
    launches.expect_words(target, 7)


@covers("kernel_args_append_place_holder.address", uses=("aclrtLaunchKernelWithConfig",))
def test_placeholder(acl, expect, kernels, launches):
    """A kernel reads through a placeholder what the host has put into its memory."""
    kernel, target = kernels.kernel(SCALE), launches.target()
    arguments = kernels.argument_list(kernel, [address(target), address(launches.floats(LEFT))])

    result = acl.aclrtKernelArgsAppendPlaceHolder(argsHandle=arguments)

    expect.success(result)
    kernels.put_behind(arguments, result.paramHandle, as_bytes([FACTOR]) + word(len(LEFT)))
    expect.success(launches.in_list(kernel, kernels.finalised(arguments)))
    launches.wait()
    launches.expect_floats(target, [FACTOR * number for number in LEFT])


@covers("kernel_args_para_update.takes_effect", uses=("aclrtLaunchKernelWithConfig",))
def test_update(acl, expect, kernels, launches):
    """An updated value counts when the list is closed again."""
    kernel, target = kernels.kernel(FILL), launches.target()
    arguments = kernels.argument_list(kernel, [address(target)])
    parameter = kernels.append(arguments, word(7))
    kernels.append(arguments, word(4))
    kernels.finalised(arguments)

    result = acl.aclrtKernelArgsParaUpdate(
        argsHandle=arguments, paramHandle=parameter, param=kernels.value(word(9)), paramSize=4
    )

    expect.success(result)
    expect.success(launches.in_list(kernel, kernels.finalised(arguments)))
    launches.wait()
    launches.expect_words(target, 9)


@covers("kernel_args_para_update.after_finalize", uses=("aclrtLaunchKernelWithConfig",))
def test_update_without_finalising(acl, expect, kernels, launches):
    """A list that was updated and not closed again is launched."""
    kernel, target = kernels.kernel(FILL), launches.target()
    arguments = kernels.argument_list(kernel, [address(target)])
    parameter = kernels.append(arguments, word(7))
    kernels.append(arguments, word(4))
    kernels.finalised(arguments)
    kernels.update(arguments, parameter, word(9))

    result = launches.in_list(kernel, arguments)

    expect.observed(result)
    launches.waited()


@covers("kernel_args_init_by_user_mem.runs", uses=("aclrtLaunchKernelWithConfig",))
def test_memory_of_the_caller(acl, expect, kernels, launches):
    """A list in memory of the told sizes serves a launch, and nothing around it is written."""
    kernel, target = kernels.kernel(FILL), launches.target()
    values = launches.fill_of(target, 7)
    room = kernels.room_for(kernel, 8 * len(values))

    result = acl.aclrtKernelArgsInitByUserMem(
        funcHandle=kernel, argsHandle=room.handle, userHostMem=room.data, actualArgsSize=room.data.size
    )

    expect.success(result)
    kernels.append_all(room.handle.ptr, values)
    expect.success(launches.in_list(kernel, kernels.finalised(room.handle.ptr)))
    launches.wait()
    launches.expect_words(target, 7)
