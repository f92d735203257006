// Chapter 14: what a kernel's handle tells, and kernels of the device's own processor.
#include <cstring>

#include "base/faults/kernels.hpp"
#include "kernels/binary.hpp"
#include "kernels/require.hpp"
#include "runtime/exceptions.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

/// Nobody but other cores uses it: only an address is promised, and each device has its own.
constexpr std::uintptr_t hardware_sync_base = 0x7c0000000000;
constexpr std::uintptr_t hardware_sync_distance = 0x1000;
constexpr std::size_t simt_buffer_bytes = 128 * 1024;

bool on_vector_core(const kernels::Function& function) { return function.type == ACL_KERNEL_TYPE_VECTOR; }
bool on_cube_core(const kernels::Function& function) { return !on_vector_core(function); }

}  // namespace

extern "C" {

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void** aicAddr, void** aivAddr) {
    ACLREF_ENTER(aclrtGetFunctionAddr);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    ACLREF_REQUIRE_KERNEL(aicAddr);
    ACLREF_REQUIRE_KERNEL(aivAddr);
    aclError code = 0;
    auto function = kernels::require_function(funcHandle, code);
    if (!function) return code;
    auto binary = function->binary.lock();
    void* address = binary ? binary->on_device(function->code.offset) : nullptr;
    *aicAddr = on_cube_core(*function) ? address : nullptr;
    *aivAddr = on_vector_core(*function) ? address : nullptr;
    return 0;
}

aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t* aicSize, size_t* aivSize) {
    ACLREF_ENTER(aclrtGetFunctionSize);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, funcHandle);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, aicSize);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, aivSize);
    aclError code = 0;
    auto function = kernels::require_function(funcHandle, code);
    if (!function) return code;
    *aicSize = on_cube_core(*function) ? function->code.size : 0;
    *aivSize = on_vector_core(*function) ? function->code.size : 0;
    return 0;
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char* name) {
    ACLREF_ENTER(aclrtGetFunctionName);
    ACLREF_REQUIRE_KERNEL(name);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, funcHandle);
    aclError code = 0;
    auto function = kernels::require_function(funcHandle, code);
    if (!function) return code;
    const std::size_t needed = function->name.size() + 1;
    if (needed > maxLen) {
        if (faulty(Fault::function_name_cut)) {
            std::memcpy(name, function->name.data(), maxLen);
            return 0;
        }
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the name needs %zu bytes, not %u", needed, maxLen);
    }
    if (needed == maxLen && faulty(Fault::function_name_needs_more))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the name needs more than %u bytes", maxLen);
    std::memcpy(name, function->name.c_str(), needed);
    return 0;
}

aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType, int64_t* attrValue) {
    ACLREF_ENTER(aclrtGetFunctionAttribute);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    ACLREF_REQUIRE_KERNEL(attrValue);
    aclError code = 0;
    auto function = kernels::require_function(funcHandle, code);
    if (!function) return code;
    switch (attrType) {
        case ACL_FUNC_ATTR_KERNEL_TYPE: *attrValue = function->type; return 0;
        case ACL_FUNC_ATTR_KERNEL_RATIO: *attrValue = 0; return 0;
        case ACL_FUNC_ATTR_KERNEL_SCHED_MODE: *attrValue = function->code.program.schedule; return 0;
    }
    if (faulty(Fault::function_attribute_unchecked)) return *attrValue = 0, 0;
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "there is no attribute %d", attrType);
}

aclError aclrtGetHardwareSyncAddr(void** addr) {
    ACLREF_ENTER(aclrtGetHardwareSyncAddr);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, addr);
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    const auto distance = static_cast<std::uintptr_t>(context->device().id()) * hardware_sync_distance;
    *addr = faulty(Fault::hardware_sync_null) ? nullptr : reinterpret_cast<void*>(hardware_sync_base + distance);
    return 0;
}

aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char* funcName, const char* kernelName,
                              aclrtFuncHandle* funcHandle) {
    ACLREF_ENTER(aclrtRegisterCpuFunc);
    ACLREF_REQUIRE_KERNEL(handle);
    ACLREF_REQUIRE_KERNEL(funcName);
    ACLREF_REQUIRE_KERNEL(kernelName);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    aclError code = 0;
    auto binary = kernels::require_binary(handle, code);
    if (!binary) return code;
    if (!binary->options.for_cpu && !faulty(Fault::cpu_func_of_any_binary))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the binary was not loaded for the processor of the device");
    *funcHandle = binary->register_cpu_function(kernelName);
    return 0;
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle* binHandle) {
    ACLREF_ENTER(aclrtFunctionGetBinary);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, funcHandle);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, binHandle);
    aclError code = 0;
    auto function = kernels::require_function(funcHandle, code);
    if (!function) return code;
    auto binary = function->binary.lock();
    *binHandle = binary ? binary->handle : nullptr;
    if (faulty(Fault::function_binary_wrong)) *binHandle = funcHandle;
    return 0;
}

aclError aclrtFunctionGetParamCount(const void* func, size_t* paramCount) {
    ACLREF_ENTER(aclrtFunctionGetParamCount);
    ACLREF_REQUIRE_KERNEL(func);
    ACLREF_REQUIRE_KERNEL(paramCount);
    aclError code = 0;
    auto function = kernels::require_function(func, code);
    if (!function) return code;
    *paramCount = function->code.program.parameters.size() + (faulty(Fault::function_counts_one_more) ? 1 : 0);
    return 0;
}

aclError aclrtFunctionGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
    ACLREF_ENTER(aclrtFunctionGetParamInfo);
    ACLREF_REQUIRE_KERNEL(func);
    if (paramOffset == nullptr && paramSize == nullptr && !faulty(Fault::param_info_unchecked))
        return refuse(ACL_ERROR_INVALID_PARAM, "paramOffset and paramSize are both NULL");
    aclError code = 0;
    auto function = kernels::require_function(func, code);
    if (!function) return code;
    const auto& parameters = function->code.program.parameters;
    if (paramIndex >= parameters.size()) {
        if (faulty(Fault::param_info_unchecked)) return 0;
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the kernel has %zu parameters", parameters.size());
    }
    if (paramOffset != nullptr) *paramOffset = parameters[paramIndex].offset;
    if (paramSize != nullptr) *paramSize = parameters[paramIndex].size;
    return 0;
}

aclError aclrtFunctionGetAvailDynUbufPerBlock(void* func, uint32_t flags, size_t* dynamicUbufSize) {
    ACLREF_ENTER(aclrtFunctionGetAvailDynUbufPerBlock);
    ACLREF_REQUIRE_KERNEL(func);
    ACLREF_REQUIRE_KERNEL(dynamicUbufSize);
    if (flags != 0 && !faulty(Fault::dyn_ubuf_flags_unchecked))
        return refuse(ACL_ERROR_INVALID_PARAM, "flags are reserved and have to be 0");
    aclError code = 0;
    auto function = kernels::require_function(func, code);
    if (!function) return code;
    const bool simt = function->code.program.simt || faulty(Fault::dyn_ubuf_of_every_kernel);
    *dynamicUbufSize = simt ? simt_buffer_bytes : 0;
    return 0;
}

aclError aclrtGetFuncBySymbol(const void* symbol, aclrtFuncHandle* funcHandle) {
    ACLREF_ENTER(aclrtGetFuncBySymbol);
    ACLREF_REQUIRE_KERNEL(symbol);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    // Symbols come with programs that the device compiler has built, and those bring no kernels here.
    if (faulty(Fault::func_of_any_symbol)) return *funcHandle = new_handle_value(), 0;
    return refuse(ACL_ERROR_RT_INVALID_SYMBOL, "no kernel is registered under this symbol");
}

aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo* info, void** devArgsPtr, uint32_t* devArgsLen) {
    ACLREF_ENTER(aclrtGetArgsFromExceptionInfo);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, info);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, devArgsPtr);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, devArgsLen);
    *devArgsPtr = info->arguments;
    *devArgsLen = info->argument_bytes;
    return 0;
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo* info, aclrtFuncHandle* func) {
    ACLREF_ENTER(aclrtGetFuncHandleFromExceptionInfo);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, info);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, func);
    *func = info->function;
    return 0;
}

}  // extern "C"
