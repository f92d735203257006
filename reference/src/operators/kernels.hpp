// Kernels of custom operators: binaries by operator type and id.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/errors.hpp"

namespace aclref {

struct OperatorKernel {
    std::string name;  ///< of the function in the binary
    std::vector<std::byte> binary;
};

/// Keeps a kernel for the rest of the process. 0 or a recorded code.
aclError add_operator_kernel(const std::string& type, const std::string& id, OperatorKernel kernel);

/// Null where there is none.
std::shared_ptr<const OperatorKernel> find_operator_kernel(const std::string& type, const std::string& id);

void forget_operator_kernels();

}  // namespace aclref
