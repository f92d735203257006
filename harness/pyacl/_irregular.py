"""pyACL functions that do more than feed positions to C, written out by hand."""

from __future__ import annotations

import ctypes
import itertools
import weakref
from collections.abc import Callable
from typing import Any

from harness.binding import Library
from harness.pyacl import _arguments as convert
from harness.pyacl._functions import Function, converted, ordinary, struct_dict
from harness.pyacl._runtime import Runtime
from harness.pyacl._shapes import Shape

Build = Callable[[Runtime, Shape], Function]

_INVALID_PARAM = 100000
_MOST_DIMENSIONS = 4096
_GROUP_VALUES = 256


class _Trampoline:
    """One C function pointer per library over one Python function, as pyACL has one per kind of callback."""

    def __init__(self, callback: str, reached: Callable[..., Any]) -> None:
        self._callback = callback
        self._reached = reached
        self._pointers: weakref.WeakKeyDictionary[Library, Any] = weakref.WeakKeyDictionary()

    def of(self, library: Library) -> Any:
        """The pointer for a library."""
        pointer = self._pointers.get(library)
        if pointer is None:
            pointer = self._pointers[library] = library.callback(self._callback, self._reached)
        return pointer


def _call(runtime: Runtime, api: str) -> Callable[..., Any]:
    return runtime.calls.get(api) or runtime.bind(api)


def _app_log(runtime: Runtime, shape: Shape) -> Function:
    def app_log(*args: Any) -> None:
        level, message = converted(shape, args)
        _call(runtime, shape.api)(level, b"app_log", b"acl", 0, b"%s", message)

    return app_log


def _get_cann_attribute_list(runtime: Runtime, shape: Shape) -> Function:
    def get_cann_attribute_list(*args: Any) -> tuple[list[int], int, int]:
        first, count = ctypes.c_void_p(), ctypes.c_size_t()
        code = _call(runtime, shape.api)(ctypes.byref(first), ctypes.byref(count))
        values = list((ctypes.c_int32 * count.value).from_address(first.value)) if first.value else []
        return values, count.value, code

    return get_cann_attribute_list


def _get_tensor_desc_dim_range(runtime: Runtime, shape: Shape) -> Function:
    def get_tensor_desc_dim_range(*args: Any) -> tuple[list[int] | None, int]:
        desc, index, count = converted(shape, args)
        count %= 2**64
        if count > _MOST_DIMENSIONS:
            return None, _INVALID_PARAM
        values = (ctypes.c_int64 * (count + 1))()
        code = _call(runtime, shape.api)(desc, index, count, values)
        return (list(values)[:count] if code == 0 else None), code

    return get_tensor_desc_dim_range


def _get_primary_ctx_state(runtime: Runtime, shape: Shape) -> Function:
    def get_primary_ctx_state(*args: Any) -> tuple[int, int, int]:
        (device,) = converted(shape, args)
        active = ctypes.c_int32()
        # C gets no pointer for the flags, so what comes back for them is the 0 of that pointer.
        code = _call(runtime, shape.api)(device, None, ctypes.byref(active))
        return active.value, 0, code

    return get_primary_ctx_state


def _stream_attribute_key(runtime: Runtime, kind: int) -> tuple[str, str]:
    """The key in pyACL's dict and the C field for a stream attribute."""
    enum = runtime.contract.enums["aclrtStreamAttr"].values
    for enumerator, field in (
        ("ACL_STREAM_ATTR_FAILURE_MODE", "failureMode"),
        ("ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK", "overflowSwitch"),
        ("ACL_STREAM_ATTR_USER_CUSTOM_TAG", "userCustomTag"),
    ):
        if enum[enumerator] == kind:
            return field, field
    return "reserved", "reserve"


def _set_stream_attribute(runtime: Runtime, shape: Shape) -> Function:
    def set_stream_attribute(*args: Any) -> int:
        stream, kind, given = converted(shape, args)
        key, field = _stream_attribute_key(runtime, kind)
        value = runtime.types.struct("aclrtStreamAttrValue")()
        if not isinstance(given, dict):
            raise TypeError(f"{shape.name}: value must be dict, not {type(given).__name__}")
        convert.fill(runtime.types, value, {field: given[key]} if key in given else {})
        code: int = _call(runtime, shape.api)(stream, kind, ctypes.byref(value))
        return code

    return set_stream_attribute


def _get_stream_attribute(runtime: Runtime, shape: Shape) -> Function:
    def get_stream_attribute(*args: Any) -> tuple[dict[str, Any], int]:
        stream, kind = converted(shape, args)
        value = runtime.types.struct("aclrtStreamAttrValue")()
        code = _call(runtime, shape.api)(stream, kind, ctypes.byref(value))
        key, field = _stream_attribute_key(runtime, kind)
        item = getattr(value, field)
        return {key: list(item) if isinstance(item, ctypes.Array) else item}, code

    return get_stream_attribute


def _get_mem_uce_info(runtime: Runtime, shape: Shape) -> Function:
    def get_mem_uce_info(*args: Any) -> tuple[list[dict[str, Any]], int]:
        device, size = converted(shape, args)
        size %= 2**32
        infos, count = (runtime.types.struct("aclrtMemUceInfo") * size)(), ctypes.c_size_t()
        code = _call(runtime, shape.api)(device, infos, size, ctypes.byref(count))
        return [struct_dict(runtime, info) for info in infos[: count.value]], code

    return get_mem_uce_info


def _get_group_count(runtime: Runtime, shape: Shape) -> Function:
    def get_group_count(*args: Any) -> tuple[int, int]:
        (start,) = converted(shape, args)
        count = ctypes.c_uint32(start)
        code = _call(runtime, shape.api)(ctypes.byref(count))
        return count.value, code

    return get_group_count


def _get_group_info_detail(runtime: Runtime, shape: Shape) -> Function:
    def get_group_info_detail(*args: Any) -> tuple[list[int], int]:
        info, group, attribute = converted(shape, args)
        values, count = (ctypes.c_int32 * _GROUP_VALUES)(), ctypes.c_size_t()
        code = _call(runtime, shape.api)(info, group, attribute, values, _GROUP_VALUES, ctypes.byref(count))
        if code != 0 or count.value == 0:
            raise RuntimeError(f"{shape.name} failed: {code}")
        return list(values)[: count.value], code

    return get_group_info_detail


def _allocator_set_obj_to_desc(runtime: Runtime, shape: Shape) -> Function:
    kept: list[Any] = []

    def allocator_set_obj_to_desc(*args: Any) -> int:
        desc, allocator = converted(shape, args)
        # pyACL gives C the address of its variable, not the value; the variable is kept here.
        slot = ctypes.c_void_p(allocator)
        kept.append(slot)
        code: int = _call(runtime, shape.api)(desc, ctypes.byref(slot))
        return code

    return allocator_set_obj_to_desc


def _allocator_function(callback: str, cut_size: bool) -> Build:
    """A setter of an allocator function: one Python callable per kind in the whole process, its result
    ignored.
    """

    def build(runtime: Runtime, shape: Shape) -> Function:
        current: list[Any] = []

        def reached(*args: Any) -> int:
            given = [args[0], args[1] % 2**32, *args[2:]] if cut_size else list(args)
            current[0](*given)
            return 0

        trampoline = _Trampoline(callback, reached)

        def set_function(*args: Any) -> int:
            desc, function = converted(shape, args)
            code: int = _call(runtime, shape.api)(desc, trampoline.of(runtime.library))
            if code == 0:
                current[:] = [function]
            return code

        return set_function

    return build


def _launch_callback(runtime: Runtime, shape: Shape) -> Function:
    waiting: dict[int, tuple[Any, Any]] = {}
    numbers = itertools.count(1)

    def reached(number: int) -> None:
        function, data = waiting.pop(number)
        function(data)

    trampoline = _Trampoline("aclrtCallback", reached)

    def launch_callback(*args: Any) -> int:
        function, data, block, stream = converted(shape, args)
        pointer = trampoline.of(runtime.library)
        number = next(numbers)
        waiting[number] = function, data
        code: int = _call(runtime, shape.api)(pointer, number, block, stream)
        if code != 0:
            waiting.pop(number, None)
        return code

    return launch_callback


def _set_exception_info_callback(runtime: Runtime, shape: Shape) -> Function:
    current: list[Any] = []
    trampoline = _Trampoline("aclrtExceptionInfoCallback", lambda info: current[0](info))

    def set_exception_info_callback(*args: Any) -> int:
        (function,) = converted(shape, args) or (None,)
        if function is None:
            current.clear()
            code: int = _call(runtime, shape.api)(None)
            return code
        if not callable(function):
            raise TypeError(f"{shape.name}: fn must be callable or None")
        current[:] = [function]
        code = _call(runtime, shape.api)(trampoline.of(runtime.library))
        return code

    return set_exception_info_callback


def _dump_reg_callback(runtime: Runtime, shape: Shape) -> Function:
    current: list[Any] = []

    def reached(chunk: int, length: int) -> int:
        struct = runtime.types.struct("acldumpChunk")
        value = struct.from_address(chunk)
        current[0](
            {
                "file_name": value.fileName.decode("utf-8", "replace"),
                "data_buf": chunk + struct.dataBuf.offset,
                "buf_len": value.bufLen,
                "is_last_chunk": value.isLastChunk,
                "offset": value.offset,
                "flag": value.flag,
            }
        )
        return 0

    trampoline = _Trampoline(shape.function.params[0].type, reached)

    def dump_reg_callback(*args: Any) -> int:
        function, flag = converted(shape, args)
        code: int = _call(runtime, shape.api)(trampoline.of(runtime.library), flag)
        if code == 0:
            current[:] = [function]
        return code

    return dump_reg_callback


def _set_config_opt(runtime: Runtime, shape: Shape) -> Function:
    kept: list[Any] = []

    def set_config_opt(*args: Any) -> int:
        handle, attribute, given = converted(shape, args)
        options = runtime.contract.enums["aclmdlConfigAttr"].values
        addresses = ("MEM_ADDR", "WEIGHT_ADDR", "WORKSPACE_ADDR", "WEIGHT_PATH")
        try:
            if attribute == options["ACL_MDL_PRIORITY_INT32"]:
                value: Any = ctypes.c_int32(convert.int32(given))
            elif attribute == options["ACL_MDL_PATH_PTR"]:
                value = ctypes.c_char_p(convert.text(given))
            elif attribute in (options[f"ACL_MDL_{name}_PTR"] for name in addresses):
                value = ctypes.c_void_p(convert.address(given))
            else:
                value = ctypes.c_uint64(convert.address(given))
        except TypeError as error:
            raise TypeError(f"{shape.name}: attr_value {error}") from None
        kept.append(value)
        code: int = _call(runtime, shape.api)(handle, attribute, ctypes.byref(value), ctypes.sizeof(value))
        return code

    return set_config_opt


def _set_exec_config_opt(runtime: Runtime, shape: Shape) -> Function:
    def set_exec_config_opt(*args: Any) -> int:
        handle, attribute, given = converted(shape, args)
        value = ctypes.c_uint32(given)
        code: int = _call(runtime, shape.api)(handle, attribute, ctypes.byref(value), ctypes.sizeof(value))
        return code

    return set_exec_config_opt


def _get_input_dynamic_dims(runtime: Runtime, shape: Shape) -> Function:
    def get_input_dynamic_dims(*args: Any) -> tuple[list[Any] | None, int]:
        desc, index, count = converted(shape, args)
        count %= 2**64
        if count > _MOST_DIMENSIONS:
            return None, _INVALID_PARAM
        dims = (runtime.types.struct("aclmdlIODims") * (count + 1))()
        code = _call(runtime, shape.api)(desc, index, dims, count)
        if code != 0:
            # An unfilled list of that length, which Python shows as None.
            return [None] * count, code
        return [struct_dict(runtime, item) for item in dims[:count]], code

    return get_input_dynamic_dims


def _prof_text(query: str) -> Build:
    """A profiling text whose length is asked for first."""

    def build(runtime: Runtime, shape: Shape) -> Function:
        def get_text(*args: Any) -> tuple[str | None, int]:
            info, size, index = converted(shape, args)
            length = ctypes.c_size_t()
            code = _call(runtime, query)(info, size, index, ctypes.byref(length))
            if code != 0:
                return None, code
            buffer = ctypes.create_string_buffer(length.value + 1)
            code = _call(runtime, shape.api)(info, size, index, buffer, length.value)
            return buffer.value.decode("utf-8", "replace"), code

        return get_text

    return build


def _create_subscribe_config(runtime: Runtime, shape: Shape) -> Function:
    kept: list[Any] = []

    def create_subscribe_config(*args: Any) -> int:
        time_info, metrics, descriptor = converted(shape, args)
        slot = ctypes.c_int32(descriptor)
        kept.append(slot)
        return _call(runtime, shape.api)(time_info, metrics, ctypes.byref(slot)) or 0

    return create_subscribe_config


def _set_attr_list_list_int(runtime: Runtime, shape: Shape) -> Function:
    def set_attr_list_list_int(*args: Any) -> int:
        attribute, name, values = converted(shape, args)
        if not isinstance(values, list):
            raise TypeError(f"{shape.name}: values must be list, not {type(values).__name__}")
        try:
            arrays = [convert.attribute_ints(item) for item in values]
        except (TypeError, ValueError) as error:
            raise ValueError(f"{shape.name}: values {error}") from None
        counts = (ctypes.c_int32 * (len(arrays) + 1))(*(len(array) - 1 for array in arrays))
        pointers = (ctypes.c_void_p * (len(arrays) + 1))(*(ctypes.addressof(array) for array in arrays))
        code: int = _call(runtime, shape.api)(attribute, name, len(arrays), counts, pointers)
        return code

    return set_attr_list_list_int


def _register_compile_func(runtime: Runtime, shape: Shape) -> Function:
    def register_compile_func(*args: Any) -> int:
        kind, function = converted(shape, args)

        def reached(*given: Any) -> int:
            inputs, outputs = int(given[0]), int(given[2])
            first = list((ctypes.c_void_p * inputs).from_address(given[1])) if inputs else []
            second = list((ctypes.c_void_p * outputs).from_address(given[3])) if outputs else []
            function(inputs, first, outputs, second, given[4], given[5])
            return 0

        pointer = runtime.library.callback("aclopCompileFunc", reached)
        code: int = _call(runtime, shape.api)(kind, pointer)
        return code

    return register_compile_func


def _create_kernel(runtime: Runtime, shape: Shape) -> Function:
    def free(data: int, size: int) -> None:
        mode = ctypes.c_int32()
        _call(runtime, "aclrtGetRunMode")(ctypes.byref(mode))
        on_host = mode.value == runtime.contract.value("ACL_HOST")
        _call(runtime, "aclrtFreeHost" if on_host else "aclrtFree")(data)

    def create_kernel(*args: Any) -> int:
        *given, frees = converted(shape, args)
        pointer = runtime.library.callback("aclDataDeallocator", free) if frees else None
        code: int = _call(runtime, shape.api)(*given, pointer)
        return code

    return create_kernel


BUILDERS: dict[str, Build] = {
    "acl.app_log": _app_log,
    "acl.get_cann_attribute_list": _get_cann_attribute_list,
    "acl.get_tensor_desc_dim_range": _get_tensor_desc_dim_range,
    "acl.rt.get_primary_ctx_state": _get_primary_ctx_state,
    "acl.rt.set_stream_attribute": _set_stream_attribute,
    "acl.rt.get_stream_attribute": _get_stream_attribute,
    "acl.rt.get_mem_uce_info": _get_mem_uce_info,
    "acl.rt.get_group_count": _get_group_count,
    "acl.rt.get_group_info_detail": _get_group_info_detail,
    "acl.rt.allocator_set_obj_to_desc": _allocator_set_obj_to_desc,
    "acl.rt.allocator_set_alloc_func_to_desc": _allocator_function("aclrtAllocatorAllocFunc", True),
    "acl.rt.allocator_set_free_func_to_desc": _allocator_function("aclrtAllocatorFreeFunc", False),
    "acl.rt.allocator_set_alloc_advise_func_to_desc": _allocator_function(
        "aclrtAllocatorAllocAdviseFunc", True
    ),
    "acl.rt.allocator_set_get_addr_from_block_func_to_desc": _allocator_function(
        "aclrtAllocatorGetAddrFromBlockFunc", False
    ),
    "acl.rt.launch_callback": _launch_callback,
    "acl.rt.set_exception_info_callback": _set_exception_info_callback,
    "acl.mdl.dump_reg_callback": _dump_reg_callback,
    "acl.mdl.set_config_opt": _set_config_opt,
    "acl.mdl.set_exec_config_opt": _set_exec_config_opt,
    "acl.mdl.get_input_dynamic_dims": _get_input_dynamic_dims,
    "acl.prof.get_op_type_v2": _prof_text("aclprofGetOpTypeLen"),
    "acl.prof.get_op_name_v2": _prof_text("aclprofGetOpNameLen"),
    "acl.prof.create_subscribe_config": _create_subscribe_config,
    "acl.op.set_attr_list_list_int": _set_attr_list_list_int,
    "acl.op.register_compile_func": _register_compile_func,
    "acl.op.create_kernel": _create_kernel,
}


def build(runtime: Runtime, shape: Shape) -> Function:
    """The Python function of a shape."""
    return BUILDERS.get(shape.name, ordinary)(runtime, shape)
