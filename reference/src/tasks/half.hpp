// Half-precision and brain-float elements: held as bits, computed with in single precision.
#pragma once

#include <bit>
#include <cstdint>

namespace aclref {

struct Half {
    std::uint16_t bits;
    operator float() const {
        std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
        std::uint32_t exponent = bits >> 10 & 0x1F;
        std::uint32_t fraction = bits & 0x3FF;
        if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000 | fraction << 13);
        if (exponent) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
        float magnitude = static_cast<float>(fraction) * 0x1p-24F;
        return sign ? -magnitude : magnitude;
    }
    static Half from(float value) { return {std::bit_cast<std::uint16_t>(static_cast<_Float16>(value))}; }
};

struct Brain {
    std::uint16_t bits;
    operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
    static Brain from(float value) {
        std::uint32_t wide = std::bit_cast<std::uint32_t>(value);
        return {static_cast<std::uint16_t>((wide + 0x7FFF + (wide >> 16 & 1)) >> 16)};
    }
};

}  // namespace aclref
