// The arithmetic of a model's steps, on bytes that lie in the library's own memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/plan.hpp"

namespace aclref::models {

struct Operand {
    std::span<const std::byte> bytes;
    const Dims* dims = nullptr;
};

/// Computes a step's result of `result.size()` bytes. The operands fit each other.
void compute(Op op, aclDataType type, std::span<const Operand> operands, std::span<std::byte> result);

/// Converts elements to another type: towards zero from fractions to whole numbers, and to the nearest there is where one
/// is too large.
void cast(aclDataType from, std::span<const std::byte> operand, aclDataType to, std::span<std::byte> result);

/// Whether matrices with elements of one type can be multiplied into one of another.
bool multiplies(aclDataType factor, aclDataType product);

/// alpha * A * B + beta * C of the operands A, B, C, alpha and beta. `factor` is the type of A and B, `product` that of the
/// others and of the result; `transposed` tells which of A and B are stored so.
void multiply_and_add(aclDataType factor, aclDataType product, std::span<const Operand> operands, std::uint64_t transposed,
                      std::span<std::byte> result);

/// Writes the indices of the elements that are not 0, a row of int64 each; how many rows. The result has room for all.
std::size_t find_nonzero(aclDataType type, const Operand& operand, std::span<std::byte> result);

/// Whether any element is below zero.
bool any_negative(aclDataType type, std::span<const std::byte> bytes);

}  // namespace aclref::models
