// The tiny programs that stand for kernels: a few operations on device memory, shared out among blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/errors.hpp"

namespace aclref::kernels {

/// What a step does with its operands, which are numbers of parameters.
enum class Operation : std::uint16_t {
    add = 1,    ///< to, left, right, floats
    fill = 2,   ///< to, a word, words
    mark = 3,   ///< to: each block writes the number of blocks into a word of its own
    scale = 4,  ///< to, from, a record of {float factor, floats}
    trap = 5,   ///< fails
};

struct Step {
    Operation operation;
    std::uint16_t operands[4];
};

/// Where a parameter lies among the arguments.
struct Parameter {
    std::size_t offset;
    std::size_t size;
};

struct Program {
    aclrtKernelType type = ACL_KERNEL_TYPE_AICORE;
    bool simt = false;
    std::uint16_t schedule = 0;
    std::vector<Parameter> parameters;
    std::vector<Step> steps;

    /// Bytes of all arguments; each begins at a multiple of 8.
    std::size_t argument_bytes() const;
};

/// Reads a program; false for bytes that are none.
bool decode(std::span<const std::byte> bytes, Program& out);

/// One execution: what the program gets, and where.
struct Execution {
    std::span<const std::byte> arguments;
    std::uint32_t blocks = 1;
    int device = 0;
};

/// Runs every block. 0, or ACL_ERROR_RT_AICORE_EXCEPTION for a trap, a missing argument or memory that is not there.
aclError run(const Program& program, const Execution& execution);

}  // namespace aclref::kernels
