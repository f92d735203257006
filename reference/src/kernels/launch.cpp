#include "kernels/launch.hpp"

#include <algorithm>
#include <cstring>

#include "base/faults/kernels.hpp"
#include "kernels/binary.hpp"
#include "memory/address_space.hpp"
#include "models/caller_array.hpp"
#include "runtime/exceptions.hpp"
#include "runtime/stream.hpp"

namespace aclref::kernels {

namespace {

constexpr std::uint64_t most_blocks = 65535;
constexpr std::size_t most_attributes = 64;

/// One launch; a captured one runs many times.
struct Launch {
    std::shared_ptr<Binary> binary;
    std::shared_ptr<Function> function;
    aclrtFuncHandle handle = nullptr;
    std::uint32_t blocks = 1;
    Arguments arguments;
    const void* failed_arguments = nullptr;
    std::size_t failed_bytes = 0;

    Progress run();
    void explain(aclrtExceptionInfo& info) const;

private:
    aclError bring(std::vector<std::byte>& bytes, std::unique_ptr<DeviceBlock>& block) const;
};

/// The arguments' bytes as the kernel sees them, and the device memory they lie in.
aclError Launch::bring(std::vector<std::byte>& bytes, std::unique_ptr<DeviceBlock>& block) const {
    if (arguments.on_device != nullptr) {
        bytes.resize(arguments.device_bytes);
        AddressSpace& space = AddressSpace::instance();
        if (aclError code = space.check_range(arguments.on_device, bytes.size(), false, binary->device)) return code;
        return space.copy(bytes.data(), arguments.on_device, bytes.size());
    }
    bytes = arguments.bytes;
    if (bytes.empty()) return 0;
    block = std::make_unique<DeviceBlock>();
    if (aclError code = block->take(binary->device, bytes.size())) return code;
    for (const Patch& patch : arguments.patches) {
        if (faulty(Fault::launch_placeholders_ignored)) break;
        const std::uint64_t address = reinterpret_cast<std::uintptr_t>(block->address()) + patch.data;
        std::memcpy(bytes.data() + patch.at, &address, sizeof(address));
    }
    return AddressSpace::instance().copy(block->address(), bytes.data(), bytes.size(), true);
}

Progress Launch::run() {
    std::vector<std::byte> bytes;
    std::unique_ptr<DeviceBlock> block;
    aclError code = bring(bytes, block);
    if (code == 0 && !faulty(Fault::launch_does_nothing))
        code = kernels::run(function->code.program, {bytes, blocks, binary->device});
    if (code == 0) return Progress::Done();
    failed_arguments = block ? block->address() : arguments.on_device;
    failed_bytes = bytes.size();
    if (block) binary->keep_failed(std::move(block));
    return Progress::Failed(code);
}

void Launch::explain(aclrtExceptionInfo& info) const {
    info.function = handle;
    info.arguments = const_cast<void*>(failed_arguments);
    info.argument_bytes = static_cast<std::uint32_t>(failed_bytes);
    if (!faulty(Fault::binary_callback_not_called)) binary->tell_exception(info);
}

}  // namespace

aclError launch(aclrtFuncHandle handle, std::uint64_t blocks, Arguments arguments, aclrtStream stream) {
    auto function = functions().find(handle);
    auto binary = function ? function->binary.lock() : nullptr;
    if (!binary) {
        if (faulty(Fault::launch_invalid_handle_accepted)) return 0;
        return refuse(ACL_ERROR_RT_INVALID_HANDLE, "there is no such kernel");
    }
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    if (blocks == 0 || blocks > most_blocks) {
        if (blocks == 0 && faulty(Fault::launch_zero_blocks_accepted)) return 0;
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "%llu blocks", static_cast<unsigned long long>(blocks));
    }
    if (found->device().id() != binary->device)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the kernel is loaded on device %d", binary->device);
    auto work = std::make_shared<Launch>();
    work->binary = binary;
    work->function = function;
    work->handle = handle;
    work->blocks = static_cast<std::uint32_t>(blocks);
    work->arguments = std::move(arguments);
    Task task;
    task.kind = "kernel";
    task.run = [work] { return work->run(); };
    task.explain = [work](aclrtExceptionInfo& info) { work->explain(info); };
    if (faulty(Fault::launch_runs_at_once)) return work->run().code;
    return found->submit(std::move(task));
}

aclError check_config(const aclrtLaunchKernelCfg* config) {
    if (config == nullptr) return 0;
    std::vector<aclrtLaunchKernelCfg> own;
    if (aclError code = read_array(config, 1, own)) return code;
    if (own[0].numAttrs > most_attributes)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "%zu attributes", own[0].numAttrs);
    std::vector<aclrtLaunchKernelAttr> attributes;
    if (own[0].numAttrs != 0)
        if (aclError code = read_array(own[0].attrs, own[0].numAttrs, attributes)) return code;
    const auto has = [&](aclrtLaunchKernelAttrId id) {
        return std::any_of(attributes.begin(), attributes.end(), [id](const auto& one) { return one.id == id; });
    };
    for (const auto& attribute : attributes)
        if (attribute.id < ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE || attribute.id > ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING)
            return refuse(ACL_ERROR_RT_PARAM_INVALID, "there is no attribute %d", attribute.id);
    if (has(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT) && has(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US) &&
        !faulty(Fault::launch_two_timeouts_accepted))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the configuration has two time limits");
    return 0;
}

}  // namespace aclref::kernels
