// Kernel selectors: functions of the caller's that choose among the kernels of a custom operator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/handle_table.hpp"
#include "operators/arguments.hpp"

namespace aclref {

/// What a selector has chosen.
struct KernelChoice {
    std::mutex mutex;
    std::string kernel;                   ///< its id
    std::uint32_t blocks = 0;             ///< cores to run on
    std::vector<std::byte> tiling;
    std::vector<std::size_t> workspaces;  ///< bytes of each
};

/// The choices of the selectors that are running.
HandleTable<KernelChoice>& kernel_choices();

/// 0 or a recorded code.
aclError add_selector(const std::string& type, aclopCompileFunc select);
aclError remove_selector(const std::string& type);

/// An operator whose kernel is to be chosen.
struct OperatorTensors {
    std::string type;
    DescribedTensors inputs;
    DescribedTensors outputs;
    const aclopAttr* attributes = nullptr;
};

/// Calls the selector of an operator in the calling thread and looks up the kernel it names. 0 or a recorded code.
aclError choose_kernel(const OperatorTensors& given);

void forget_selectors();

}  // namespace aclref
