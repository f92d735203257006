"""How each pyACL function maps to its C function: which position feeds which C parameter, which C parameter
comes back where.

The rule: positions follow the C parameters that a caller gives, in C's order; values that C writes come
back in C's order, ahead of the return code. What a list or a text implies (its length) has no position. The
tables below hold what the rule does not cover. They say what Huawei's public binding does; the contract's
notes name its conventions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from harness.binding.types import TypeInfo, TypeMap, type_map
from harness.contract import ContractError, Function, Param, PyAclFunction, load
from harness.pyacl import _arguments as convert
from harness.pyacl._arguments import Converter

OutputKind = Literal["number", "text", "dict"]


@dataclass(frozen=True)
class Input:
    """One position: its pyACL name, the C parameter it feeds (None: it feeds none), and its conversion."""

    name: str
    c: str | None
    kind: str
    convert: Converter


@dataclass(frozen=True)
class Output:
    """One returned value ahead of the code: its pyACL name, the C parameter it comes from, and what it is.

    `length` sizes a text: the name of the position that says how long, or a number. `c` of a value that is
    handed back unchanged is the C name of that position.
    """

    name: str
    c: str
    kind: OutputKind
    handed_back: bool = False
    length: str | int = 0


@dataclass(frozen=True)
class Shape:
    """Everything the data says about one pyACL function.

    `counts` are C parameters whose value is the length of a position; `unfilled` are C output parameters
    that the binding passes as NULL.
    """

    name: str
    api: str
    function: Function
    inputs: tuple[Input, ...]
    counts: dict[str, str]
    outputs: tuple[Output, ...]
    optional: int
    form: str

    def input(self, c_name: str) -> Input | None:
        """The position that feeds a C parameter, or None."""
        return next((item for item in self.inputs if item.c == c_name), None)


# C parameters that are the length of a list or text: pyACL name -> {position: C parameter}.
_COUNTS: dict[str, dict[str, str]] = {
    "acl.create_tensor_desc": {"dims": "numDims"},
    "acl.set_tensor_storage_shape": {"dims": "numDims"},
    "acl.set_tensor_shape": {"dims": "numDims"},
    "acl.set_tensor_origin_shape": {"dims": "numDims"},
    "acl.set_tensor_shape_range": {"dims_range": "dimsCount"},
    "acl.set_tensor_value_range": {"value_range": "valueCount"},
    "acl.rt.notify_batch_reset": {"notifies": "num"},
    "acl.rt.notify_set_import_pid": {"pids": "num"},
    "acl.rt.mem_set_pid_to_shareable_handle": {"pids": "pidNum"},
    "acl.rt.ipc_mem_set_import_pid": {"pids": "num"},
    "acl.rt.mem_uce_repair": {"info": "arraySize"},
    "acl.prof.create_config": {"device_list": "deviceNums"},
    "acl.prof.init": {"path": "length"},
    "acl.prof.set_config": {"config": "configLength"},
    "acl.prof.mark_ex": {"msg": "msgLen"},
    "acl.op.execute": {"inputs": "numInputs", "outputs": "numOutputs"},
    "acl.op.execute_v2": {"inputs": "numInputs", "outputs": "numOutputs"},
    "acl.op.execute_with_handle": {"inputs": "numInputs", "outputs": "numOutputs"},
    "acl.op.create_handle": {"input_desc": "numInputs", "output_desc": "numOutputs"},
    "acl.op.update_params": {"input_desc": "numInputs", "output_desc": "numOutputs"},
    "acl.op.infer_shape": {"inputs": "numInputs"},
    "acl.op.set_attr_list_bool": {"values": "numValues"},
    "acl.op.set_attr_list_int": {"values": "numValues"},
    "acl.op.set_attr_list_float": {"values": "numValues"},
    "acl.op.set_attr_list_string": {"values": "numValues"},
    "acl.op.set_attr_list_data_type": {"values": "numValues"},
    "acl.op.set_attr_list_list_int": {"values": "numLists"},
}

# C parameters that the binding fills in by itself: neither a position nor a returned value.
_OWN: dict[str, frozenset[str]] = {
    # File, line and function of the log entry.
    "acl.app_log": frozenset({"func", "file", "line"}),
    # How many bytes the value has follows from the option.
    "acl.mdl.set_config_opt": frozenset({"valueSize"}),
    "acl.mdl.set_exec_config_opt": frozenset({"valueSize"}),
    # How much of the array is filled shows in the length of the returned list.
    "acl.rt.get_mem_uce_info": frozenset({"retSize"}),
    "acl.rt.get_group_info_detail": frozenset({"valueLen", "paramRetSize"}),
    # The counts of the inner lists.
    "acl.op.set_attr_list_list_int": frozenset({"numValues"}),
    # Asked for beforehand with the length query.
    "acl.prof.get_op_type_v2": frozenset({"opTypeLen"}),
    "acl.prof.get_op_name_v2": frozenset({"opNameLen"}),
}

# Returned values that are not in C's order.
_RETURN_ORDER: dict[str, tuple[str, ...]] = {"acl.rt.get_primary_ctx_state": ("active", "flags")}

# Positions that feed no C parameter of the same name: a value is also an output there.
_UNUSED_INPUTS: dict[str, frozenset[str]] = {"acl.rt.get_group_count": frozenset({"count"})}

# C parameters that a caller of C passes as an address and pyACL makes and returns.
_MADE: dict[str, frozenset[str]] = {"acl.rt.get_group_info_detail": frozenset({"attrValue"})}

# C parameters that pyACL takes an address for although C writes there: the caller's own memory.
_TAKEN: dict[str, frozenset[str]] = {
    "acl.blas.hgemm": frozenset({"matrixC"}),
    "acl.blas.s8gemm": frozenset({"matrixC"}),
    "acl.blas.hgemv": frozenset({"y"}),
    "acl.blas.s8gemv": frozenset({"y"}),
}

# Texts that C writes: the position with the length, or a header constant.
_TEXT_LENGTHS: dict[str, str] = {
    "acl.get_version_str": "ACL_PKG_VERSION_MAX_SIZE",
    "acl.rt.notify_get_export_key": "len",
    "acl.rt.ipc_mem_get_export_key": "len",
    "acl.rt.get_function_name": "max_len",
    "acl.prof.get_op_type": "text_len",
    "acl.prof.get_op_name": "text_len",
    "acl.mdl.create_and_get_op_desc": "op_name_len",
}

# Conversions that do not follow from the C type, by pyACL name and position.
_CONVERSIONS: dict[tuple[str, str], tuple[str, Converter]] = {
    # Parsed as unsigned although C has an enum.
    ("acl.get_cann_version", "name"): ("number", convert.uint32),
    ("acl.rt.get_device_info", "attr"): ("number", convert.uint32),
    ("acl.rt.get_device_capability", "dev_feature_type"): ("number", convert.uint32),
    ("acl.rt.get_device_res_limit", "type"): ("number", convert.uint32),
    ("acl.rt.set_device_res_limit", "type"): ("number", convert.uint32),
    ("acl.rt.set_group", "group_id"): ("number", convert.uint32),
    ("acl.mdl.set_aipp_input_format", "input_format"): ("number", convert.uint32),
    # Parsed as 64 bits although C has an enum.
    ("acl.mdl.set_exec_config_opt", "attr"): ("number", convert.address),
    # Parsed as signed although C has unsigned values.
    ("acl.rt.create_stream_with_config", "priority"): ("number", convert.int32),
    ("acl.rt.create_stream_with_config", "flag"): ("number", convert.int32),
    # Parsed as 32 bits although C has 64.
    ("acl.rt.set_stream_failure_mode", "mode"): ("number", convert.uint32),
    ("acl.rt.get_mem_uce_info", "array_size"): ("number", convert.uint32),
    # Checked by the binding itself.
    ("acl.rt.wait_and_reset_notify", "timeout"): ("number", convert.checked_uint32),
    ("acl.rt.register_cpu_func", "func_name"): ("text", convert.filled_text),
    ("acl.rt.register_cpu_func", "kernel_name"): ("text", convert.filled_text),
    # A descriptor whose address C gets.
    ("acl.prof.create_subscribe_config", "fd"): ("number", convert.int32),
    # An int that says whether the binding frees the data.
    ("acl.op.create_kernel", "deallocator"): ("number", convert.int32),
    ("acl.op.set_attr_list_bool", "values"): ("list", convert.attribute_bools),
    ("acl.op.set_attr_list_int", "values"): ("list", convert.attribute_ints),
    ("acl.op.set_attr_list_float", "values"): ("list", convert.attribute_floats),
    ("acl.op.set_attr_list_string", "values"): ("list", convert.texts),
    ("acl.op.set_attr_list_data_type", "values"): ("list", convert.data_types),
    ("acl.op.set_attr_list_list_int", "values"): ("list", convert.anything),
    ("acl.op.infer_shape", "output_desc"): ("list", convert.handles),
    ("acl.op.execute", "input_desc"): ("list", convert.handles),
    ("acl.op.execute", "output_desc"): ("list", convert.handles),
    ("acl.op.execute_v2", "input_desc"): ("list", convert.handles),
    ("acl.op.execute_v2", "output_desc"): ("list", convert.handles),
    ("acl.op.infer_shape", "input_desc"): ("list", convert.handles),
    ("acl.rt.notify_batch_reset", "notifies"): ("list", convert.notifies),
    ("acl.rt.notify_set_import_pid", "pids"): ("list", convert.process_ids),
    ("acl.rt.mem_set_pid_to_shareable_handle", "pids"): ("list", convert.process_ids),
    ("acl.rt.ipc_mem_set_import_pid", "pids"): ("list", convert.process_ids),
    ("acl.prof.create_config", "device_list"): ("list", convert.device_ids),
    ("acl.set_tensor_shape_range", "dims_range"): ("list", convert.pairs),
    ("acl.set_tensor_value_range", "value_range"): ("list", convert.pairs),
    # Read according to the other arguments, by the function itself.
    ("acl.rt.set_stream_attribute", "value"): ("dict", convert.anything),
    ("acl.mdl.set_config_opt", "attr_value"): ("number", convert.anything),
    ("acl.mdl.set_exec_config_opt", "attr_value"): ("number", convert.uint32),
    ("acl.rt.launch_callback", "user_data"): ("object", convert.anything),
    ("acl.rt.set_exception_info_callback", "fn"): ("callable", convert.anything),
    # Not looked at before it is called.
    ("acl.rt.allocator_set_alloc_func_to_desc", "func"): ("callable", convert.anything),
    ("acl.rt.allocator_set_free_func_to_desc", "func"): ("callable", convert.anything),
    ("acl.rt.allocator_set_alloc_advise_func_to_desc", "func"): ("callable", convert.anything),
    ("acl.rt.allocator_set_get_addr_from_block_func_to_desc", "func"): ("callable", convert.anything),
    ("acl.mdl.dump_reg_callback", "func"): ("callable", convert.anything),
}

# Structs that pyACL takes as dicts or lists of dicts.
_STRUCTS: dict[str, tuple[str, Callable[[TypeMap], Converter]]] = {
    "aclrtMallocConfig": ("config", convert.malloc_config),
    "aclrtPhysicalMemProp": ("dict", lambda types: convert.structure(types, "aclrtPhysicalMemProp")),
    "aclmdlIODims": ("dict", convert.dynamic_dims),
    "aclrtMemUceInfo": ("dicts", lambda types: convert.structures(types, "aclrtMemUceInfo")),
    "aclrtPlaceHolderInfo": ("dicts", lambda types: convert.structures(types, "aclrtPlaceHolderInfo")),
    "aclrtBinaryLoadOptions": (
        "options",
        lambda types: convert.option_list(types, "aclrtBinaryLoadOptions", "aclrtBinaryLoadOption"),
    ),
    "aclrtLaunchKernelCfg": (
        "options",
        lambda types: convert.option_list(types, "aclrtLaunchKernelCfg", "aclrtLaunchKernelAttr"),
    ),
}

# Names in a dict that are not C's, by struct.
KEYS: dict[str, dict[str, str]] = {
    "aclCANNPackageVersion": {
        "majorVersion": "major_version",
        "minorVersion": "minor_version",
        "releaseVersion": "release_version",
        "patchVersion": "patch_version",
    },
    "aclrtUtilizationInfo": {
        "cubeUtilization": "cube_utilization",
        "vectorUtilization": "vector_utilization",
        "aicpuUtilization": "aicpu_utilization",
        "memoryUtilization": "memory_utilization",
        "utilizationExtend": "utilization_extend",
    },
    "aclrtPtrAttributes": {"pageSize": "page_size"},
}

_INTEGERS: dict[str, Converter] = {
    "int8_t": convert.switch,
    "int16_t": convert.int16,
    "int32_t": convert.int32,
    "int": convert.int32,
    "int64_t": convert.int64,
    "uint8_t": convert.uint32,
    "uint16_t": convert.uint32,
    "uint32_t": convert.uint32,
    "uint64_t": convert.address,
    "size_t": convert.address,
}


@functools.cache
def shape_of(name: str) -> Shape:
    """The shape of a pyACL function over a C function, such as "acl.rt.malloc".

    ContractError where data and tables do not fit together, or where the function has no C function behind
    it.
    """
    contract = load()
    entry = contract.pyacl[name]
    if entry.c is None:
        raise ContractError(f"pyacl.json: {name} has no C function")
    function = contract.function(entry.c)
    types = type_map(contract)
    counts = {c: position for position, c in _COUNTS.get(name, {}).items()}
    returned = [param for param in function.params if _is_made(types, name, param)]
    given = [param for param in function.params if param not in returned and param.type != "..."]
    given = [param for param in given if param.name not in counts and param.name not in _OWN.get(name, ())]
    inputs = _inputs(name, entry, given, types)
    outputs = _outputs(
        name, entry, [param for param in returned if param.name not in _OWN.get(name, ())], inputs
    )
    return Shape(name, entry.c, function, inputs, counts, outputs, len(entry.optional), entry.form)


def _inputs(name: str, entry: PyAclFunction, given: list[Param], types: TypeMap) -> tuple[Input, ...]:
    unused = _UNUSED_INPUTS.get(name, frozenset())
    feeding = [position for position in entry.args if position not in unused]
    if len(feeding) != len(given):
        raise ContractError(
            f"pyacl.json: {name} has {len(feeding)} positions for {[param.name for param in given]}"
        )
    pairs = dict(zip(feeding, given, strict=True))
    return tuple(
        _input(name, position, pairs[position], types)
        if position in pairs
        else Input(position, None, "number", convert.uint32)
        for position in entry.args
    )


def _input(name: str, position: str, param: Param, types: TypeMap) -> Input:
    special = _CONVERSIONS.get((name, position))
    if special is not None:
        return Input(position, param.name, *special)
    kind, converter = _conversion(types, types.info(param.type), position in _COUNTS.get(name, {}))
    return Input(position, param.name, kind, converter)


def _conversion(types: TypeMap, info: TypeInfo, counted: bool) -> tuple[str, Converter]:
    if info.category == "char" and info.depth == 1:
        return "text", convert.text
    if info.category == "callback":
        return "callable", convert.function
    if info.category == "struct" and info.depth == 1 and info.base in _STRUCTS:
        kind, make = _STRUCTS[info.base]
        return kind, make(types)
    if info.is_pointer:
        if counted:
            return "list", convert.handles if info.depth > 1 else convert.dimensions
        return "address", convert.address
    if info.category == "real":
        return "number", convert.real
    return "number", convert.int32 if info.category == "enum" else _INTEGERS[info.base]


def _outputs(
    name: str, entry: PyAclFunction, returned: list[Param], inputs: tuple[Input, ...]
) -> tuple[Output, ...]:
    names = [label for label in entry.returns if label != "ret"] if entry.form == "tuple" else []
    order = _RETURN_ORDER.get(name)
    if order is not None:
        returned = sorted(returned, key=lambda param: order.index(param.name))
    if len(names) == len(returned) + 1:
        # A descriptor that the caller gave comes back first.
        position = next(item for item in inputs if item.name == names[0])
        assert position.c is not None
        first = Output(names[0], position.c, "number", handed_back=True)
        return (first, *_made_outputs(name, names[1:], returned))
    return _made_outputs(name, names, returned)


def _made_outputs(name: str, names: list[str], returned: list[Param]) -> tuple[Output, ...]:
    if len(names) != len(returned):
        raise ContractError(f"pyacl.json: {name} returns {names} for {[param.name for param in returned]}")
    types = type_map(load())
    made = []
    for label, param in zip(names, returned, strict=True):
        info = types.info(param.type)
        if info.category == "char" and info.depth == 1:
            length = _TEXT_LENGTHS.get(name, "")
            sized = load().value(length) if length.isupper() else length
            made.append(Output(label, param.name, "text", length=sized))
        elif info.category == "struct" and info.depth == 1:
            made.append(Output(label, param.name, "dict"))
        else:
            made.append(Output(label, param.name, "number"))
    return tuple(made)


def _is_made(types: TypeMap, name: str, param: Param) -> bool:
    """Whether pyACL makes what C writes into, instead of taking an address for it."""
    if param.name in _MADE.get(name, ()):
        return True
    if param.direction == "in" or "[" in param.type or param.name in _TAKEN.get(name, ()):
        return False
    return types.pointee(types.info(param.type)) is not None
