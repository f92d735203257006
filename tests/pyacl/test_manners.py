"""The manners of pyACL: what a position takes, what raises, what comes back."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from harness.binding import Library
from harness.contract import load


def refused(kind: type[Exception], acl: ModuleType, call: Any, *args: Any) -> str:
    """The text of the exception a call raises before C is reached."""
    before = len(acl._runtime.runtime.library.recorder)
    with pytest.raises(kind) as caught:
        call(*args)
    assert len(acl._runtime.runtime.library.recorder) == before
    return str(caught.value)


def test_values_come_ahead_of_the_code(acl: ModuleType) -> None:
    address, code = acl.rt.malloc(64, 0)
    assert (type(address), code) == (int, 0)
    assert acl.rt.free(address) == 0
    assert acl.rt.get_mem_info(1) == (1001, 2000, 0)


def test_a_failing_call_gives_its_code_and_zero(acl: ModuleType) -> None:
    assert acl.rt.malloc(0, 0) == (0, 100000)


def test_keywords_are_refused(acl: ModuleType) -> None:
    with pytest.raises(TypeError):
        acl.rt.malloc(size=64, policy=0)


@pytest.mark.parametrize("args", [(), (64,), (64, 0, 0)])
def test_a_wrong_count_is_refused(acl: ModuleType, args: tuple[int, ...]) -> None:
    assert "takes 2 arguments (size, policy)" in refused(TypeError, acl, acl.rt.malloc, *args)


def test_a_function_without_arguments_takes_any(acl: ModuleType) -> None:
    assert acl.rt.get_device_count(1, "x", None) == (2, 0)


@pytest.mark.parametrize("size", [None, 64.0, "64", b"64", np.int64(64)])
def test_a_size_must_be_an_int(acl: ModuleType, size: Any) -> None:
    assert "size must be int" in refused(TypeError, acl, acl.rt.malloc, size, 0)


def test_a_size_and_an_address_are_cut_to_64_bits(acl: ModuleType) -> None:
    assert acl.rt.reserve_mem_address(2**64 + 5, 0, -1, 2) == (6, 0)
    assert acl.rt.set_memcpy_desc(-1, 0, 0, 0, 0, 0) == (2**64 - 1, 0)


@pytest.mark.parametrize("policy", [2**31, -(2**31) - 1, 0.5, None])
def test_a_narrow_int_must_fit(acl: ModuleType, policy: Any) -> None:
    assert "policy" in refused(TypeError, acl, acl.rt.malloc, 64, policy)


def test_a_narrow_int_takes_whatever_counts_as_an_int(acl: ModuleType) -> None:
    assert acl.rt.set_device(np.int16(1)) == 0
    assert acl.rt.set_device(True) == 0


def test_an_unsigned_32_bit_argument_is_cut(acl: ModuleType) -> None:
    value, code = acl.rt.get_device_info(2**32 + 3, 0)
    assert (value, code) == (3, 0)


def test_flags_that_pyacl_parses_as_signed_must_fit(acl: ModuleType) -> None:
    assert acl.rt.create_stream_with_config(1, 2) == (1002, 0)
    assert "flag" in refused(TypeError, acl, acl.rt.create_stream_with_config, 0, 2**31)


def test_a_failure_mode_is_cut_to_32_bits(acl: ModuleType) -> None:
    assert acl.rt.set_stream_failure_mode(0, -1) == 107000


@pytest.mark.parametrize("timeout", [-1, 2**32])
def test_a_notify_timeout_is_checked_by_the_binding(acl: ModuleType, timeout: int) -> None:
    refused(TypeError, acl, acl.rt.wait_and_reset_notify, 0, 0, timeout)
    assert acl.rt.wait_and_reset_notify(0, 0, 2**32 - 1) == 295


def test_a_text_may_be_left_out_of_init_but_not_be_none(acl: ModuleType) -> None:
    assert acl.init() == 0
    assert acl.init("") == 0
    assert acl.init("missing.json") == 100000
    assert "config_path must be str" in refused(TypeError, acl, acl.init, None)
    assert "zero character" in refused(TypeError, acl, acl.init, "a\0b")


def test_a_null_text_is_none(acl: ModuleType) -> None:
    assert acl.get_recent_err_msg() is None


def test_a_creator_gives_zero_on_failure(acl: ModuleType) -> None:
    assert acl.create_data_buffer(0, 0) == 0
    assert acl.create_data_buffer(0x10, 8) > 0


def test_a_remaining_count_is_returned(acl: ModuleType) -> None:
    acl.init()
    before, _ = acl.finalize_reference()
    acl.init()
    assert acl.finalize_reference() == (before, 0)


def test_a_list_gives_its_count(acl: ModuleType) -> None:
    assert acl.create_tensor_desc(0, [7, 2], 0) == 207
    assert acl.create_tensor_desc(0, [], 0) == 1


@pytest.mark.parametrize(
    ("dims", "kind"), [((1, 2), TypeError), (None, TypeError), ([1, "2"], TypeError), ([2**63], ValueError)]
)
def test_a_list_of_anything_else_is_refused(acl: ModuleType, dims: Any, kind: type[Exception]) -> None:
    assert "dims" in refused(kind, acl, acl.create_tensor_desc, 0, dims, 0)


@pytest.mark.parametrize("pids", [(1,), [1.0], [2**31], None])
def test_process_ids_are_refused_with_a_value_error(acl: ModuleType, pids: Any) -> None:
    assert "pids" in refused(ValueError, acl, acl.rt.mem_set_pid_to_shareable_handle, 5, pids)


def test_process_ids_reach_c_with_their_count(acl: ModuleType) -> None:
    assert acl.rt.mem_set_pid_to_shareable_handle(100, [20, 30]) == 122
    assert acl.rt.mem_set_pid_to_shareable_handle(100, []) == 100


def test_notify_handles_reach_c_with_their_count(acl: ModuleType) -> None:
    assert acl.rt.notify_batch_reset([40, 50, True]) == 43


def test_an_empty_config_is_null(acl: ModuleType) -> None:
    assert acl.rt.malloc_with_cfg(8, 0, {}) == (0, 0)


def test_a_config_reaches_c(acl: ModuleType) -> None:
    config = {"numAttrs": 1, "attrs": [{"attr": 1, "value": {"moduleId": 33}}]}
    assert acl.rt.malloc_with_cfg(8, 0, config) == (1033, 0)


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        (None, TypeError),
        ({"numAttrs": 2, "attrs": [{"attr": 1, "value": {"moduleId": 1}}]}, KeyError),
        ({"numAttrs": 1, "attrs": [{"attr": 1, "value": {"vaFlag": 1}}]}, KeyError),
        ({"numAttrs": 1, "attrs": [{"attr": 1, "value": 3}]}, TypeError),
        ({"numAttrs": 1, "attrs": [{"attr": 1, "value": {"moduleId": "x"}}]}, ValueError),
        ({"numAttrs": 1}, TypeError),
    ],
)
def test_a_broken_config_is_refused(acl: ModuleType, config: Any, kind: type[Exception]) -> None:
    refused(kind, acl, acl.rt.malloc_with_cfg, 8, 0, config)


def test_a_property_dict_reaches_c(acl: ModuleType) -> None:
    prop = {"handleType": 0, "memAttr": 1, "location": {"id": 5, "type": 1}, "reserve": 0}
    assert acl.rt.malloc_physical(100, prop, 0) == (105, 0)


def test_a_missing_or_wrong_key_is_passed_over(acl: ModuleType) -> None:
    assert acl.rt.malloc_physical(100, {"location": {"id": "x"}, "reserve": None, "other": 1}, 0) == (100, 0)
    assert acl.rt.malloc_physical(100, {}, 0) == (100, 0)


@pytest.mark.parametrize(
    ("prop", "kind"),
    [(None, TypeError), ([], TypeError), ({"location": 3}, TypeError), ({"reserve": -1}, ValueError)],
)
def test_a_broken_property_dict_is_refused(acl: ModuleType, prop: Any, kind: type[Exception]) -> None:
    refused(kind, acl, acl.rt.malloc_physical, 100, prop, 0)


def test_structs_come_back_as_dicts_with_pyacls_keys(acl: ModuleType) -> None:
    location = {"id": 7, "type": 1}
    assert acl.rt.pointer_get_attributes(1) == (
        {"location": location, "page_size": 4096, "rsv": [0, 0, 0, 9]},
        0,
    )
    version, code = acl.get_cann_version(0)
    assert (version["version"], version["major_version"], version["patch_version"], code) == (
        "9.0.0",
        "9",
        "",
        0,
    )


def test_a_uuid_is_a_list_of_numbers(acl: ModuleType) -> None:
    uuid, code = acl.rt.device_get_uuid(0)
    assert [number & 0xFF for number in uuid["bytes"]] == [*range(200, 208), *[0] * 8]
    assert code == 0


def test_dimensions_are_cut_to_their_count(acl: ModuleType) -> None:
    assert acl.mdl.get_input_dims(1, 5) == ({"name": "data", "dimCount": 3, "dims": [5, 6, 7]}, 0)


def test_a_failed_query_of_dimensions_gives_an_empty_dict(acl: ModuleType) -> None:
    assert acl.mdl.get_input_dims(0, 5) == ({}, 100000)


def test_a_text_is_made_by_the_binding(acl: ModuleType) -> None:
    assert acl.rt.ipc_mem_get_export_key(1, 8, 64, 0) == ("key-123", 0)
    assert acl.rt.ipc_mem_get_export_key(1, 8, 2, 0) == ("", 107000)
    assert acl.get_version_str("runtime") == ("runtime-9.0", 0)


@pytest.mark.parametrize("length", [1024, 2**40, -1])
def test_a_long_key_is_refused(acl: ModuleType, length: int) -> None:
    assert "below 1024" in refused(ValueError, acl, acl.rt.ipc_mem_get_export_key, 1, 8, length, 0)


def test_a_pointer_to_an_array_comes_back_as_a_list(acl: ModuleType) -> None:
    assert acl.get_cann_attribute_list() == ([1, 2], 2, 0)


def test_the_flags_of_the_primary_context_are_always_zero(acl: ModuleType) -> None:
    assert acl.rt.get_primary_ctx_state(0) == (1, 0, 0)


def test_a_stream_attribute_is_keyed_by_its_kind(acl: ModuleType) -> None:
    kinds = load().enums["aclrtStreamAttr"].values
    assert acl.rt.set_stream_attribute(0, kinds["ACL_STREAM_ATTR_USER_CUSTOM_TAG"], {"userCustomTag": 9}) == 1
    assert acl.rt.get_stream_attribute(0, kinds["ACL_STREAM_ATTR_FAILURE_MODE"]) == ({"failureMode": 9}, 0)
    assert acl.rt.get_stream_attribute(0, 99) == ({"reserved": [9, 0, 0, 0]}, 0)


def test_elapsed_time_is_a_float(acl: ModuleType) -> None:
    elapsed, code = acl.rt.event_elapsed_time(2, 2)
    assert (type(elapsed), elapsed, code) == (float, 0.0, 0)


def test_a_callback_gets_its_list(acl: ModuleType) -> None:
    seen: list[Any] = []
    data = [1, "two"]
    assert acl.rt.launch_callback(seen.append, data, 0, 0) == 0
    assert seen == [data]
    assert seen[0] is data


def test_a_callback_must_be_callable(acl: ModuleType) -> None:
    assert "fn must be callable" in refused(TypeError, acl, acl.rt.launch_callback, 5, [], 0, 0)


def test_what_a_callback_raises_is_kept(acl: ModuleType, library: Library) -> None:
    acl.rt.launch_callback(lambda data: data[5], [], 0, 0)
    assert [type(error.exception) for error in library.callback_errors] == [IndexError]


def test_an_exception_callback_gets_the_info_and_can_be_cleared(acl: ModuleType) -> None:
    seen: list[int] = []
    assert acl.rt.set_exception_info_callback(seen.append) == 0
    acl.rt.destroy_stream(0x77)
    assert acl.rt.set_exception_info_callback() == 0
    acl.rt.destroy_stream(0x88)
    assert seen == [0x77]
    refused(TypeError, acl, acl.rt.set_exception_info_callback, 5)


def test_an_allocator_callback_runs_and_its_result_is_thrown_away(acl: ModuleType) -> None:
    seen: list[tuple[int, int]] = []

    def allocate(allocator: int, size: int) -> int:
        seen.append((allocator, size))
        return 0x1234

    assert acl.rt.allocator_set_alloc_func_to_desc(0x1000, allocate) == 0
    assert acl.rt.allocator_register(0x55, 0x1000) == 0
    assert seen == [(0x55, 64)]


def test_an_allocator_object_reaches_c_by_its_address(acl: ModuleType) -> None:
    assert acl.rt.allocator_set_obj_to_desc(0x1000, 0x4321) == 0x4321


def test_a_configuration_option_is_read_by_its_kind(acl: ModuleType) -> None:
    kinds = load().enums["aclmdlConfigAttr"].values
    assert acl.mdl.set_config_opt(1, kinds["ACL_MDL_PRIORITY_INT32"], -7) == -7
    assert acl.mdl.set_config_opt(1, kinds["ACL_MDL_WORKSPACE_ADDR_PTR"], 5) == 1005
    assert "attr_value must be int" in refused(
        TypeError, acl, acl.mdl.set_config_opt, 1, kinds["ACL_MDL_PRIORITY_INT32"], "7"
    )


def test_load_options_are_a_list_of_dicts(acl: ModuleType) -> None:
    assert acl.rt.binary_load_from_file("a.o", []) == (1, 0)
    assert acl.rt.binary_load_from_file("a.o", [{"type": 1, "value": 42}]) == (142, 0)
    refused(ValueError, acl, acl.rt.binary_load_from_file, "a.o", None)


def test_lists_of_lists_give_both_counts(acl: ModuleType) -> None:
    assert acl.op.set_attr_list_list_int(1, "axes", [[9], [3, 4]]) == 223
    refused(ValueError, acl, acl.op.set_attr_list_list_int, 1, "axes", [["x"]])


def test_a_void_function_gives_none(acl: ModuleType) -> None:
    assert acl.app_log(1, "a message") is None


def test_there_are_functions_only_and_no_constants(acl: ModuleType) -> None:
    assert not hasattr(acl.rt, "ACL_MEMCPY_HOST_TO_DEVICE")
    assert not hasattr(acl, "ACL_SUCCESS")


def test_a_function_that_pyacl_lacks_is_no_attribute(acl: ModuleType) -> None:
    assert not hasattr(acl.rt, "memcpy_batch")


def test_a_function_that_the_library_lacks_is_no_attribute(acl: ModuleType) -> None:
    assert hasattr(acl.rt, "memcpy")
    assert not hasattr(acl.rt, "memcpy_async")


def test_bytes_and_arrays_have_addresses(acl: ModuleType) -> None:
    data = b"hello"
    assert acl.util.ptr_to_bytes(acl.util.bytes_to_ptr(data), 5) == data
    with pytest.raises(ValueError, match="needs bytes"):
        acl.util.bytes_to_ptr(bytearray(5))


def test_numpy_helpers_warn_and_do_not_copy(acl: ModuleType) -> None:
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    with pytest.warns(Warning, match="deprecated"):
        address = acl.util.numpy_to_ptr(array)
    with pytest.warns(Warning, match="deprecated"):
        view = acl.util.ptr_to_numpy(address, (2, 3), array.dtype.num)
    view[1, 2] = 99
    assert array[1, 2] == 99


def test_a_discontiguous_array_is_made_contiguous(acl: ModuleType) -> None:
    array = np.arange(6, dtype=np.int32).reshape(2, 3).T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        address, contiguous = acl.util.numpy_contiguous_to_ptr(array)
    assert contiguous.flags.c_contiguous
    assert acl.util.ptr_to_bytes(address, 24) == array.tobytes()


def test_a_thread_runs_and_is_waited_for(acl: ModuleType) -> None:
    seen: list[Any] = []
    identifier, code = acl.util.start_thread(seen.append, [1])
    assert (acl.util.stop_thread(identifier), code) == (0, 0)
    assert seen == [[1]]


def test_a_thread_without_arguments_gets_none(acl: ModuleType) -> None:
    seen: list[int] = []
    identifier, _ = acl.util.start_thread(lambda: seen.append(1), None)
    acl.util.stop_thread(identifier)
    assert seen == [1]


def test_stopping_a_thread_that_raised_raises(acl: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    identifier, _ = acl.util.start_thread(lambda data: data[9], [])
    with pytest.raises(RuntimeError, match="exception=IndexError"):
        acl.util.stop_thread(identifier)


def test_stopping_no_thread_gives_a_code(acl: ModuleType) -> None:
    assert acl.util.stop_thread(12345) != 0
