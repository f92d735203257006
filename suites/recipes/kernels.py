"""Valid calls of chapter 14: kernel binaries, kernels, their arguments, their launches."""

from __future__ import annotations

from typing import Any

from suites.kernels.workbench import (
    FILL,
    SIMT_MARK,
    KernelBench,
    address,
    packed,
    word,
)
from suites.recipes import Bench, Call, recipe

_WORDS = 16
_NAME_BYTES = 64
_USER_BYTES = 64
_SCHEDULE = {"id": "ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE", "value": {"schemMode": 0}}


def _kernels(bench: Bench) -> KernelBench:
    return KernelBench(bench.case, bench.resources)


def _kernel(bench: Bench) -> int:
    """The handle of a kernel; an address of no use where the product loads none."""
    kernels = _kernels(bench)
    return kernels.kernel() if kernels.there else bench.extra("pageable_block")


def _binary(bench: Bench) -> int:
    """The handle of a binary; an address of no use where the product loads none."""
    kernels = _kernels(bench)
    return kernels.loaded() if kernels.there else bench.extra("pageable_block")


def _unloads(bench: Bench) -> Any:
    """How the binary that a call has loaded is given back."""
    return lambda result: bench.case.engine.c.call("aclrtBinaryUnLoad", binHandle=result.binHandle)


def _bytes(bench: Bench) -> Any:
    """Bytes that begin like a binary, which is all that an object needs."""
    return bench.memory.host(64).write(b"\x7fELF" + bytes(60))


# Binaries


@recipe("aclrtCreateBinary")
def create_binary(bench: Bench) -> Call:
    """An object over bytes that nobody looks at."""
    call = Call({"data": _bytes(bench), "dataLen": 64})
    call.undo = lambda result: bench.case.engine.c.call("aclrtDestroyBinary", binary=result.value)
    return call


@recipe("aclrtDestroyBinary")
def destroy_binary(bench: Bench) -> Call:
    """A fresh object."""
    made = bench.call("aclrtCreateBinary", data=_bytes(bench), dataLen=64).value
    c = bench.case.engine.c
    bench.at_end(lambda: c.call("aclrtDestroyBinary", binary=made) and None)
    return Call({"binary": made})


@recipe("aclrtBinaryLoad")
def binary_load(bench: Bench) -> Call:
    """The object of a valid binary."""
    kernels = _kernels(bench)
    return Call({"binary": kernels.described(kernels.data())}, undo=_unloads(bench))


@recipe("aclrtBinaryLoadFromFile")
def binary_load_from_file(bench: Bench) -> Call:
    """A valid file, on the device at once."""
    return Call({"binPath": _kernels(bench).path(), "options": None}, undo=_unloads(bench))


@recipe("aclrtBinaryLoadFromData")
def binary_load_from_data(bench: Bench) -> Call:
    """A valid binary in memory."""
    data = _kernels(bench).data()
    return Call({"data": data, "length": data.size, "options": None}, undo=_unloads(bench))


@recipe("aclrtBinaryUnLoad")
def binary_un_load(bench: Bench) -> Call:
    """A fresh binary."""
    data = _kernels(bench).data()
    made = bench.call("aclrtBinaryLoadFromData", data=data, length=data.size, options=None).binHandle
    c = bench.case.engine.c
    bench.at_end(lambda: c.call("aclrtBinaryUnLoad", binHandle=made) and None)
    return Call({"binHandle": made})


@recipe("aclrtBinaryGetFunction")
def binary_get_function(bench: Bench) -> Call:
    """A kernel that the binary has."""
    return Call({"binHandle": _binary(bench), "kernelName": FILL})


@recipe("aclrtBinaryGetDevAddress")
def binary_get_dev_address(bench: Bench) -> Call:
    """A binary on the device."""
    return Call({"binHandle": _binary(bench)})


@recipe("aclrtBinaryGetGlobal")
def binary_get_global(bench: Bench) -> Call:
    """A variable of the binary."""
    return Call({"binHandle": _binary(bench), "name": "aclcts_quad"})


@recipe("aclrtBinarySetExceptionCallback")
def binary_set_exception_callback(bench: Bench) -> Call:
    """A function that does nothing."""
    return Call({"binHandle": _binary(bench), "callback": lambda info, user: None, "userData": None})


@recipe("aclrtGetArgsFromExceptionInfo", "aclrtGetFuncHandleFromExceptionInfo")
def from_exception_info(bench: Bench) -> Call:
    """There is nothing to read outside the function that hears of a failure; only refusals are promised."""
    return Call({"info": None}, control=False)


# Kernels


@recipe("aclrtGetFunctionAddr", "aclrtGetFunctionSize", "aclrtFunctionGetBinary", "aclrtKernelArgsInit")
def of_function(bench: Bench) -> Call:
    """A kernel."""
    return Call({"funcHandle": _kernel(bench)})


@recipe("aclrtKernelArgsGetHandleMemSize")
def kernel_args_get_handle_mem_size(bench: Bench) -> Call:
    """A kernel."""
    return Call({"funcHandle": _kernel(bench)})


@recipe("aclrtKernelArgsGetMemSize")
def kernel_args_get_mem_size(bench: Bench) -> Call:
    """64 bytes of arguments."""
    return Call({"funcHandle": _kernel(bench), "userArgsSize": _USER_BYTES})


@recipe("aclrtGetFunctionName")
def get_function_name(bench: Bench) -> Call:
    """Room for more than the name."""
    return Call({"funcHandle": _kernel(bench), "maxLen": _NAME_BYTES})


@recipe("aclrtGetFunctionAttribute")
def get_function_attribute(bench: Bench) -> Call:
    """What the kernel runs on."""
    return Call({"funcHandle": _kernel(bench), "attrType": "ACL_FUNC_ATTR_KERNEL_TYPE"})


@recipe("aclrtFunctionGetParamCount")
def function_get_param_count(bench: Bench) -> Call:
    """A kernel."""
    return Call({"func": _kernel(bench)})


@recipe("aclrtFunctionGetParamInfo")
def function_get_param_info(bench: Bench) -> Call:
    """The second of three parameters."""
    return Call({"func": _kernel(bench), "paramIndex": 1})


@recipe("aclrtFunctionGetAvailDynUbufPerBlock")
def function_get_avail_dyn_ubuf(bench: Bench) -> Call:
    """A kernel, without flags."""
    return Call({"func": _kernel(bench), "flags": 0})


@recipe("aclrtGetFuncBySymbol")
def get_func_by_symbol(bench: Bench) -> Call:
    """No program with kernels of its own is here; only refusals are promised."""
    return Call({"symbol": bench.memory.pageable(64)}, control=False)


@recipe("aclrtGetHardwareSyncAddr")
def get_hardware_sync_addr(bench: Bench) -> Call:
    """A question without arguments."""
    return Call({})


@recipe("aclrtRegisterCpuFunc")
def register_cpu_func(bench: Bench) -> Call:
    """A function of a binary of the device's own processor."""
    args = {"funcName": "RunCpuKernel", "kernelName": "AclctsCopy"}
    return Call({"handle": _kernels(bench).loaded_for_cpu(), **args})


# Arguments


@recipe("aclrtKernelArgsInitByUserMem")
def kernel_args_init_by_user_mem(bench: Bench) -> Call:
    """Memory of the sizes that the queries tell."""
    kernel = _kernel(bench)
    handle = int(bench.call("aclrtKernelArgsGetHandleMemSize", funcHandle=kernel).memSize)
    asked = bench.call("aclrtKernelArgsGetMemSize", funcHandle=kernel, userArgsSize=_USER_BYTES)
    size = int(asked.actualArgsSize)
    room = {"argsHandle": bench.memory.host(handle), "userHostMem": bench.memory.host(size)}
    return Call({"funcHandle": kernel, **room, "actualArgsSize": size})


@recipe("aclrtKernelArgsAppend")
def kernel_args_append(bench: Bench) -> Call:
    """A number, first in a fresh list."""
    kernels = _kernels(bench)
    arguments = kernels.argument_list(kernels.kernel())
    return Call({"argsHandle": arguments, "param": kernels.value(word(1)), "paramSize": 4})


@recipe("aclrtKernelArgsAppendPlaceHolder")
def kernel_args_append_place_holder(bench: Bench) -> Call:
    """First in a fresh list."""
    kernels = _kernels(bench)
    return Call({"argsHandle": kernels.argument_list(kernels.kernel())})


@recipe("aclrtKernelArgsGetPlaceHolderBuffer")
def kernel_args_get_place_holder_buffer(bench: Bench) -> Call:
    """64 bytes for a placeholder."""
    kernels = _kernels(bench)
    arguments = kernels.argument_list(kernels.kernel())
    placeholder = kernels.placeholder(arguments)
    return Call({"argsHandle": arguments, "paramHandle": placeholder, "dataSize": 64})


@recipe("aclrtKernelArgsParaUpdate")
def kernel_args_para_update(bench: Bench) -> Call:
    """Another number for a parameter."""
    kernels = _kernels(bench)
    arguments = kernels.argument_list(kernels.kernel())
    parameter = kernels.append(arguments, word(1))
    new = {"param": kernels.value(word(2)), "paramSize": 4}
    return Call({"argsHandle": arguments, "paramHandle": parameter, **new})


@recipe("aclrtKernelArgsFinalize")
def kernel_args_finalize(bench: Bench) -> Call:
    """A list with all parameters of its kernel."""
    kernels = _kernels(bench)
    target = bench.memory.device(4 * _WORDS)
    values = (address(target), word(7), word(_WORDS))
    return Call({"argsHandle": kernels.argument_list(kernels.kernel(), values)})


# Launches


def _launch(bench: Bench, function: str, arguments: dict[str, Any], **more: Any) -> Call:
    """One block fills 16 words; `arguments` get the packed arguments of the kernel."""
    kernels = _kernels(bench)
    stream = bench.stream()
    args = {function: _kernel(bench), "numBlocks": 1, "stream": stream, **arguments, **more}
    return Call(args, settle=kernels.waiting(stream))


def _fill(bench: Bench) -> tuple[Any, bytes]:
    """Where the kernel writes, and its arguments."""
    target = bench.memory.device(4 * _WORDS)
    return target, packed(FILL, address(target), word(7), word(_WORDS))


@recipe("aclrtLaunchKernel")
def launch_kernel(bench: Bench) -> Call:
    """Arguments in device memory."""
    target, arguments = _fill(bench)
    kernels = _kernels(bench)
    data = kernels.on_device(arguments)
    call = _launch(bench, "funcHandle", {"argsData": data, "argsSize": data.size})
    if kernels.there:
        call.args["funcHandle"] = kernels.kernel(binary=kernels.loaded_from_memory())
    call.watch = (target,)
    return call


@recipe("aclrtLaunchKernelV2")
def launch_kernel_v2(bench: Bench) -> Call:
    """The same, with a configuration."""
    call = launch_kernel(bench)
    call.args["cfg"] = {"attrs": [_SCHEDULE], "numAttrs": 1}
    return call


@recipe("aclrtLaunchKernelWithConfig")
def launch_kernel_with_config(bench: Bench) -> Call:
    """An argument list."""
    kernels = _kernels(bench)
    target = bench.memory.device(4 * _WORDS)
    kernel = kernels.kernel()
    arguments = kernels.argument_list(kernel, (address(target), word(7), word(_WORDS)))
    stream = bench.stream()
    args = {"funcHandle": kernel, "numBlocks": 1, "stream": stream, "cfg": None, "reserve": None}
    args["argsHandle"] = kernels.finalised(arguments)
    return Call(args, watch=(target,), settle=kernels.waiting(stream))


@recipe("aclrtLaunchKernelWithHostArgs")
def launch_kernel_with_host_args(bench: Bench) -> Call:
    """Arguments in host memory."""
    target, arguments = _fill(bench)
    data = _kernels(bench).value(arguments)
    places: Any = [] if bench.case.surface == "pyacl" else None
    more = {"cfg": None, "placeHolderArray": places, "placeHolderNum": 0}
    call = _launch(bench, "funcHandle", {"hostArgs": data, "argsSize": data.size}, **more)
    call.watch = (target,)
    return call


@recipe("aclrtLaunchKernelWithArgsArray")
def launch_kernel_with_args_array(bench: Bench) -> Call:
    """A pointer to each argument."""
    kernels = _kernels(bench)
    target = bench.memory.device(4 * _WORDS)
    values = [kernels.value(each) for each in (address(target), word(7), word(_WORDS))]
    call = _launch(bench, "func", {"cfg": None, "args": values})
    call.watch = (target,)
    return call


def _simt(bench: Bench, arguments: dict[str, Any]) -> Call:
    kernels = _kernels(bench)
    kernel = kernels.kernel(SIMT_MARK) if kernels.there else bench.extra("pageable_block")
    stream = bench.stream()
    one = {"x": 1, "y": 1, "z": 1}
    args = {"func": kernel, "gridDim": one, "blockDim": one, "dynUbufSize": 0, "stream": stream, "cfg": None}
    return Call({**args, **arguments}, settle=kernels.waiting(stream))


@recipe("aclrtLaunchSIMTKernelWithArgsArray")
def launch_simt_kernel_with_args_array(bench: Bench) -> Call:
    """One thread of one block, and a pointer to the argument."""
    target = bench.memory.device(4 * _WORDS)
    call = _simt(bench, {"args": [_kernels(bench).value(address(target))]})
    call.watch = (target,)
    return call


@recipe("aclrtLaunchSIMTKernelWithHostArgs")
def launch_simt_kernel_with_host_args(bench: Bench) -> Call:
    """One thread of one block, with the argument in host memory."""
    target = bench.memory.device(4 * _WORDS)
    data = _kernels(bench).value(packed(SIMT_MARK, address(target)))
    more = {"placeHolderArray": None, "placeHolderNum": 0}
    call = _simt(bench, {"hostArgs": data, "argsSize": data.size, **more})
    call.watch = (target,)
    return call
