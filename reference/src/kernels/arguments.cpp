#include "kernels/arguments.hpp"

#include <cstring>
#include <new>

#include "base/faults/kernels.hpp"
#include "base/profile.hpp"
#include "memory/address_space.hpp"
#include "models/caller_array.hpp"

namespace aclref::kernels {

namespace {

constexpr std::uint64_t magic = 0x7473694c73677241;
constexpr std::size_t alignment = 8;
constexpr std::size_t own_bytes = 64 * 1024;
constexpr std::size_t placeholder_bytes = sizeof(std::uint64_t);

std::size_t aligned(std::size_t size) { return (size + alignment - 1) / alignment * alignment; }

/// Host memory that can be read and written; a recorded code for anything else.
aclError check_host(const void* address, std::size_t bytes) {
    AddressSpace& space = AddressSpace::instance();
    // Where host and device share memory, device memory is host memory as well.
    if (!space.locate(address).on_host() && !profile().shares_memory_with_host())
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "%p is no host memory", address);
    return space.check_range(address, bytes, true, -1);
}

void begin(ArgumentList& list, aclrtFuncHandle function, std::byte* data, std::size_t capacity) {
    list.magic = magic;
    list.function = function;
    list.data = data;
    list.capacity = capacity;
    list.data_begin = capacity / alignment * alignment;
}

/// Room for one more parameter; null with a recorded code when there is none.
ListedParameter* next(ArgumentList& list, std::size_t size, aclError& code) {
    if (list.count >= most_parameters && faulty(Fault::args_limit_unchecked)) --list.count, list.used -= alignment;
    if (list.count >= most_parameters) {
        code = refuse(ACL_ERROR_RT_PARAM_INVALID, "the list has %zu parameters already", most_parameters);
        return nullptr;
    }
    if (size > list.data_begin || list.used > list.data_begin - size) {
        code = refuse(ACL_ERROR_RT_PARAM_INVALID, "%zu bytes are more than the list has room for", size);
        return nullptr;
    }
    ListedParameter& parameter = list.parameters[list.count++];
    parameter = {list.used, size, 0, 0};
    list.used += aligned(size);
    list.complete = 0;
    return &parameter;
}

}  // namespace

std::size_t argument_memory(std::size_t user_bytes) {
    if (faulty(Fault::args_memory_too_small)) return user_bytes / 2;
    std::size_t bytes = 0;
    // The pointers of placeholders come on top of what the caller counts.
    return __builtin_add_overflow(aligned(user_bytes), most_parameters * placeholder_bytes, &bytes) ? SIZE_MAX : bytes;
}

aclError make_list(aclrtFuncHandle function, aclrtArgsHandle& out) {
    auto found = functions().find(function);
    auto binary = found ? found->binary.lock() : nullptr;
    if (!binary) return refuse(ACL_ERROR_RT_INVALID_HANDLE, "funcHandle is no kernel");
    std::byte* memory = binary->keep(sizeof(ArgumentList) + own_bytes);
    auto* list = new (memory) ArgumentList{};
    begin(*list, function, memory + sizeof(ArgumentList), own_bytes);
    out = list;
    return 0;
}

aclError make_list_in(aclrtFuncHandle function, aclrtArgsHandle where, void* data, std::size_t capacity) {
    if (!functions().find(function)) return refuse(ACL_ERROR_RT_INVALID_HANDLE, "funcHandle is no kernel");
    if (aclError code = check_host(where, sizeof(ArgumentList))) return code;
    if (aclError code = check_host(data, capacity)) return code;
    if (reinterpret_cast<std::uintptr_t>(where) % alignof(ArgumentList) != 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "argsHandle is not aligned to %zu", alignof(ArgumentList));
    begin(*new (where) ArgumentList{}, function, static_cast<std::byte*>(data), capacity);
    return 0;
}

ArgumentList* find_list(aclrtArgsHandle handle, aclError& code) {
    if (reinterpret_cast<std::uintptr_t>(handle) % alignof(ArgumentList) == 0 &&
        check_host(handle, sizeof(ArgumentList)) == 0) {
        auto* list = static_cast<ArgumentList*>(handle);
        if (list->magic == magic && list->count <= most_parameters) return list;
    }
    code = refuse(ACL_ERROR_RT_INVALID_HANDLE, "argsHandle is no argument list");
    return nullptr;
}

ListedParameter* find_parameter(ArgumentList& list, aclrtParamHandle handle, aclError& code) {
    const auto distance = reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(list.parameters);
    if (distance % sizeof(ListedParameter) == 0 && distance / sizeof(ListedParameter) < list.count)
        return static_cast<ListedParameter*>(handle);
    code = refuse(ACL_ERROR_RT_INVALID_HANDLE, "paramHandle is no parameter of this list");
    return nullptr;
}

aclError append(ArgumentList& list, const void* value, std::size_t size, aclrtParamHandle& out) {
    std::vector<std::byte> bytes;
    if (aclError code = read_array(value, size, bytes)) return code;
    aclError code = 0;
    ListedParameter* parameter = next(list, size, code);
    if (parameter == nullptr) return code;
    const std::size_t at = faulty(Fault::args_appended_in_front) ? 0 : parameter->offset;
    std::memcpy(list.data + at, bytes.data(), size);
    out = parameter;
    return 0;
}

aclError append_placeholder(ArgumentList& list, aclrtParamHandle& out) {
    aclError code = 0;
    ListedParameter* parameter = next(list, placeholder_bytes, code);
    if (parameter == nullptr) return code;
    parameter->placeholder = 1;
    std::memset(list.data + parameter->offset, 0, placeholder_bytes);
    out = parameter;
    return 0;
}

aclError give_memory(ArgumentList& list, ListedParameter& parameter, std::size_t size, void*& out) {
    if (parameter.placeholder == 0) return refuse(ACL_ERROR_RT_PARAM_INVALID, "paramHandle is no placeholder");
    if (size > list.data_begin || aligned(size) > list.data_begin - list.used)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "%zu bytes are more than the list has room for", size);
    list.data_begin -= aligned(size);
    parameter.data_offset = list.data_begin;
    out = list.data + list.data_begin;
    return 0;
}

aclError update(ArgumentList& list, ListedParameter& parameter, const void* value, std::size_t size) {
    if (parameter.placeholder != 0 || size != parameter.size)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "paramHandle is no parameter of %zu bytes", size);
    std::vector<std::byte> bytes;
    if (aclError code = read_array(value, size, bytes)) return code;
    if (!faulty(Fault::args_update_ignored)) std::memcpy(list.data + parameter.offset, bytes.data(), size);
    list.complete = 0;
    return 0;
}

aclError read_arguments(const ArgumentList& list, Arguments& out) {
    if (list.complete == 0) return refuse(ACL_ERROR_RT_PARAM_INVALID, "the argument list was not finalised");
    if (aclError code = read_array(list.data, list.capacity, out.bytes)) return code;
    for (std::size_t i = 0; i < list.count; ++i) {
        const ListedParameter& parameter = list.parameters[i];
        if (parameter.placeholder != 0 && parameter.data_offset != 0)
            out.patches.push_back({parameter.offset, parameter.data_offset});
    }
    return 0;
}

}  // namespace aclref::kernels
