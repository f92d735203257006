// Kernels as tasks of a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/errors.hpp"

namespace aclref::kernels {

/// A pointer among the arguments that leads to data among the arguments: known once they are on the device.
struct Patch {
    std::size_t at;
    std::size_t data;
};

/// What a kernel gets: bytes of the host, or bytes that are on the device already.
struct Arguments {
    std::vector<std::byte> bytes;
    std::vector<Patch> patches;
    const void* on_device = nullptr;
    std::size_t device_bytes = 0;
};

/// Puts a kernel on a stream. 0 or a recorded code.
aclError launch(aclrtFuncHandle function, std::uint64_t blocks, Arguments arguments, aclrtStream stream);

/// 0, or a recorded code for a configuration that is none.
aclError check_config(const aclrtLaunchKernelCfg* config);

}  // namespace aclref::kernels
