// Chapter 24: element types and half-precision numbers.
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/faults/runtime.hpp"
#include "runtime/runtime.hpp"
#include "tasks/element_types.hpp"

using namespace aclref;

namespace {

constexpr std::uint16_t largest_half = 0x7BFF;

/// Round half to even of the bits that a shift drops.
std::uint32_t shifted(std::uint32_t bits, unsigned shift) {
    std::uint32_t kept = bits >> shift;
    std::uint32_t dropped = bits & ((1U << shift) - 1);
    std::uint32_t half = 1U << (shift - 1);
    return kept + (dropped > half || (dropped == half && (kept & 1)) ? 1 : 0);
}

}  // namespace

extern "C" {

size_t aclDataTypeSize(aclDataType dataType) {
    if (enter(Function::aclDataTypeSize) != 0) return 0;
    return element_bytes(dataType);
}

float aclFloat16ToFloat(aclFloat16 value) {
    if (enter(Function::aclFloat16ToFloat) != 0) return 0;
    std::uint32_t sign = static_cast<std::uint32_t>(value & 0x8000) << 16;
    std::uint32_t exponent = value >> 10 & 0x1F;
    std::uint32_t fraction = value & 0x3FF;
    if (exponent == 0) {
        float magnitude = std::ldexp(static_cast<float>(fraction), -24);
        return sign ? -magnitude : magnitude;
    }
    // Infinities and NaNs are taken for ordinary numbers with the next exponent.
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

aclFloat16 aclFloatToFloat16(float value) {
    if (enter(Function::aclFloatToFloat16) != 0) return 0;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    std::uint16_t sign = bits >> 16 & 0x8000;
    std::uint32_t magnitude = bits & 0x7FFFFFFF;
    // The document knows one result for every NaN.
    if (magnitude > 0x7F800000) return largest_half;
    int exponent = static_cast<int>(magnitude >> 23) - 112;
    int smallest = faulty(Fault::half_smallest_lost) ? -10 : -11;
    std::uint32_t half = 0;
    if (exponent > 30) half = largest_half;
    else if (exponent > 0) half = shifted(magnitude - (112U << 23), 13);
    else if (exponent > smallest) half = shifted((magnitude & 0x7FFFFF) | 0x800000, static_cast<unsigned>(14 - exponent));
    if (exponent == 30 && faulty(Fault::half_odd_fractions_lost)) half &= ~1U;
    return static_cast<aclFloat16>(sign | (half > largest_half ? largest_half : half));
}

}  // extern "C"
