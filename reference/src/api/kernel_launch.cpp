// Chapter 14: kernels put on streams, with their arguments in every way that a program may pass them.
#include "base/faults/kernels.hpp"
#include "kernels/arguments.hpp"
#include "kernels/launch.hpp"
#include "kernels/require.hpp"
#include "models/caller_array.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using kernels::Arguments;

namespace {

constexpr std::size_t most_argument_bytes = std::size_t{1} << 20;

/// Launches that judge the number of blocks before anything else.
aclError check_blocks(std::uint64_t blocks) {
    if (blocks != 0 || faulty(Fault::launch_zero_blocks_accepted)) return 0;
    return refuse(ACL_ERROR_INVALID_PARAM, "numBlocks is 0");
}

Arguments on_device(const void* data, std::size_t size) {
    Arguments arguments;
    arguments.on_device = data;
    arguments.device_bytes = size;
    return arguments;
}

/// Arguments that lie in host memory, with what their placeholders point at.
aclError from_host(const void* data, std::size_t size, const aclrtPlaceHolderInfo* places, std::size_t count,
                   Arguments& out) {
    if (size > most_argument_bytes) return refuse(ACL_ERROR_RT_PARAM_INVALID, "%zu bytes of arguments", size);
    if (aclError code = read_array(static_cast<const std::byte*>(data), size, out.bytes)) return code;
    std::vector<aclrtPlaceHolderInfo> own;
    if (count != 0 && places == nullptr) return refuse(ACL_ERROR_RT_PARAM_INVALID, "placeHolderArray is NULL");
    if (count != 0)
        if (aclError code = read_array(places, count, own)) return code;
    for (const auto& place : own) {
        if (size < sizeof(std::uint64_t) || place.addrOffset > size - sizeof(std::uint64_t) || place.dataOffset >= size)
            return refuse(ACL_ERROR_RT_PARAM_INVALID, "a placeholder lies outside the %zu bytes of arguments", size);
        out.patches.push_back({place.addrOffset, place.dataOffset});
    }
    return 0;
}

/// Arguments of which the caller has one pointer each.
aclError from_array(const void* function, void** pointers, Arguments& out) {
    aclError code = 0;
    auto found = kernels::require_function(function, code);
    if (!found) return code;
    const auto& parameters = found->code.program.parameters;
    std::vector<void*> own;
    if (!parameters.empty())
        if ((code = read_array(pointers, parameters.size(), own))) return code;
    out.bytes.resize(found->code.program.argument_bytes());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        std::vector<std::byte> value;
        if ((code = read_array(static_cast<const std::byte*>(own[i]), parameters[i].size, value))) return code;
        std::copy(value.begin(), value.end(), out.bytes.begin() + static_cast<std::ptrdiff_t>(parameters[i].offset));
    }
    return 0;
}

std::uint64_t volume(dim3 grid) {
    const std::uint64_t plane = std::uint64_t{grid.x} * grid.y;
    return grid.z != 0 && plane > UINT64_MAX / grid.z ? UINT64_MAX : plane * grid.z;
}

}  // namespace

extern "C" {

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData, size_t argsSize,
                           aclrtStream stream) {
    ACLREF_ENTER(aclrtLaunchKernel);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    ACLREF_REQUIRE_KERNEL(argsData);
    return kernels::launch(funcHandle, numBlocks, on_device(argsData, argsSize), stream);
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData, size_t argsSize,
                             aclrtLaunchKernelCfg* cfg, aclrtStream stream) {
    ACLREF_ENTER(aclrtLaunchKernelV2);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    ACLREF_REQUIRE_KERNEL(argsData);
    if (cfg == nullptr && faulty(Fault::launch_null_config_refused)) return refuse(ACL_ERROR_INVALID_PARAM, "cfg is NULL");
    if (aclError code = kernels::check_config(cfg)) return code;
    return kernels::launch(funcHandle, numBlocks, on_device(argsData, argsSize), stream);
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg* cfg, aclrtArgsHandle argsHandle, void* reserve) {
    ACLREF_ENTER(aclrtLaunchKernelWithConfig);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    ACLREF_REQUIRE_KERNEL(argsHandle);
    if (reserve != nullptr && !faulty(Fault::launch_reserve_accepted))
        return refuse(ACL_ERROR_INVALID_PARAM, "reserve has to be NULL");
    if (aclError code = check_blocks(numBlocks)) return code;
    if (aclError code = kernels::check_config(cfg)) return code;
    aclError code = 0;
    kernels::ArgumentList* list = kernels::find_list(argsHandle, code);
    if (list == nullptr) return code;
    Arguments arguments;
    if ((code = kernels::read_arguments(*list, arguments))) return code;
    return kernels::launch(funcHandle, numBlocks, std::move(arguments), stream);
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg* cfg, void* hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo* placeHolderArray, size_t placeHolderNum) {
    ACLREF_ENTER(aclrtLaunchKernelWithHostArgs);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    ACLREF_REQUIRE_KERNEL(hostArgs);
    if (aclError code = kernels::check_config(cfg)) return code;
    Arguments arguments;
    if (aclError code = from_host(hostArgs, argsSize, placeHolderArray, placeHolderNum, arguments)) return code;
    return kernels::launch(funcHandle, numBlocks, std::move(arguments), stream);
}

aclError aclrtLaunchKernelWithArgsArray(void* func, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg* cfg,
                                        void** args) {
    ACLREF_ENTER(aclrtLaunchKernelWithArgsArray);
    ACLREF_REQUIRE_KERNEL(func);
    if (aclError code = check_blocks(numBlocks)) return code;
    if (aclError code = kernels::check_config(cfg)) return code;
    Arguments arguments;
    if (aclError code = from_array(func, args, arguments)) return code;
    return kernels::launch(func, numBlocks, std::move(arguments), stream);
}

aclError aclrtLaunchSIMTKernelWithArgsArray(void* func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize,
                                            aclrtStream stream, aclrtLaunchKernelCfg* cfg, void** args) {
    ACLREF_ENTER(aclrtLaunchSIMTKernelWithArgsArray);
    (void)blockDim, (void)dynUbufSize;
    ACLREF_REQUIRE_KERNEL(func);
    if (aclError code = kernels::check_config(cfg)) return code;
    Arguments arguments;
    if (aclError code = from_array(func, args, arguments)) return code;
    return kernels::launch(func, volume(gridDim), std::move(arguments), stream);
}

aclError aclrtLaunchSIMTKernelWithHostArgs(void* func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize,
                                           aclrtStream stream, aclrtLaunchKernelCfg* cfg, void* hostArgs,
                                           size_t argsSize, aclrtPlaceHolderInfo* placeHolderArray,
                                           size_t placeHolderNum) {
    ACLREF_ENTER(aclrtLaunchSIMTKernelWithHostArgs);
    (void)blockDim, (void)dynUbufSize;
    ACLREF_REQUIRE_KERNEL(func);
    ACLREF_REQUIRE_KERNEL(hostArgs);
    if (argsSize == 0) return kernels::refuse_zero("argsSize");
    if (aclError code = kernels::check_config(cfg)) return code;
    Arguments arguments;
    if (aclError code = from_host(hostArgs, argsSize, placeHolderArray, placeHolderNum, arguments)) return code;
    return kernels::launch(func, volume(gridDim), std::move(arguments), stream);
}

}  // extern "C"
