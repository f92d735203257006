#include "models/compute.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/faults/operators.hpp"
#include "tasks/half.hpp"

namespace aclref::models {

namespace {

template <class Number>
Number element(std::span<const std::byte> bytes, std::size_t index) {
    Number value;
    std::memcpy(&value, bytes.data() + index * sizeof(Number), sizeof(Number));
    return value;
}

template <class Number>
void put(std::span<std::byte> bytes, std::size_t index, Number value) {
    std::memcpy(bytes.data() + index * sizeof(Number), &value, sizeof(Number));
}

/// What a type is computed in: short floats in single precision, integers without a sign, so that they wrap.
template <class Number>
struct Arithmetic {
    using Work = std::conditional_t<std::is_class_v<Number>, float,
                                    std::conditional_t<std::is_floating_point_v<Number>, Number, std::uint64_t>>;
    static Work widened(Number value) {
        if constexpr (std::is_integral_v<Number>) return static_cast<Work>(static_cast<std::make_unsigned_t<Number>>(value));
        else return static_cast<Work>(value);
    }
    static Number narrowed(Work value) {
        if constexpr (std::is_class_v<Number>) return Number::from(value);
        else return static_cast<Number>(value);
    }
};

template <class Number>
void pairwise(Op op, std::span<const Operand> operands, std::span<std::byte> result) {
    using A = Arithmetic<Number>;
    const bool one = operands[1].bytes.size() == sizeof(Number);
    for (std::size_t index = 0; index < result.size() / sizeof(Number); ++index) {
        const auto left = A::widened(element<Number>(operands[0].bytes, index));
        const auto right = A::widened(element<Number>(operands[1].bytes, one ? 0 : index));
        put(result, index, A::narrowed(op == Op::add ? left + right : left * right));
    }
}

template <class Number>
void multiply_matrices(std::span<const Operand> operands, std::span<std::byte> result) {
    using A = Arithmetic<Number>;
    const auto inner = static_cast<std::size_t>((*operands[0].dims)[1]);
    const auto columns = static_cast<std::size_t>((*operands[1].dims)[1]);
    for (std::size_t at = 0; at < result.size() / sizeof(Number); ++at) {
        typename A::Work sum{};
        for (std::size_t k = 0; k < inner; ++k)
            sum += A::widened(element<Number>(operands[0].bytes, at / columns * inner + k)) *
                   A::widened(element<Number>(operands[1].bytes, k * columns + at % columns));
        put(result, at, A::narrowed(sum));
    }
}

template <class Number>
void sum_last_axis(const Operand& operand, std::span<std::byte> result) {
    using A = Arithmetic<Number>;
    const auto length = static_cast<std::size_t>(operand.dims->back());
    for (std::size_t at = 0; at < result.size() / sizeof(Number); ++at) {
        typename A::Work sum{};
        for (std::size_t k = 0; k < length; ++k) sum += A::widened(element<Number>(operand.bytes, at * length + k));
        put(result, at, A::narrowed(sum));
    }
}

template <class Number>
void compute_as(Op op, std::span<const Operand> operands, std::span<std::byte> result) {
    switch (op) {
        case Op::add:
        case Op::mul: return pairwise<Number>(op, operands, result);
        case Op::matmul: return multiply_matrices<Number>(operands, result);
        default: return sum_last_axis<Number>(operands[0], result);
    }
}

template <class Number>
bool any_negative_as(std::span<const std::byte> bytes) {
    for (std::size_t index = 0; index < bytes.size() / sizeof(Number); ++index) {
        if constexpr (std::is_class_v<Number>) {
            if (static_cast<float>(element<Number>(bytes, index)) < 0) return true;
        } else if constexpr (std::is_signed_v<Number>) {
            if (element<Number>(bytes, index) < 0) return true;
        }
    }
    return false;
}

/// A number of one type as the nearest of another.
template <class To, class From>
To converted(From value) {
    if constexpr (std::is_class_v<From>) {
        return converted<To>(static_cast<float>(value));
    } else if constexpr (std::is_class_v<To>) {
        return To::from(static_cast<float>(value));
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        using Limits = std::numeric_limits<To>;
        if (!(value > static_cast<From>(Limits::min()))) return std::isnan(value) ? To{} : Limits::min();
        return value < static_cast<From>(Limits::max()) ? static_cast<To>(value) : Limits::max();
    } else {
        return static_cast<To>(value);
    }
}

template <class From, class To>
void cast_as(std::span<const std::byte> operand, std::span<std::byte> result) {
    for (std::size_t index = 0; index < result.size() / sizeof(To); ++index)
        put(result, index, converted<To>(element<From>(operand, index)));
}

/// Sums are kept as wide as the result is computed in.
template <class Factor, class Product>
void multiply_and_add_as(std::span<const Operand> operands, std::uint64_t transposed, std::span<std::byte> result) {
    using A = Arithmetic<Product>;
    using Work = typename A::Work;
    const auto rows = static_cast<std::size_t>((*operands[2].dims)[0]);
    const auto columns = static_cast<std::size_t>((*operands[2].dims)[1]);
    const std::size_t inner = rows == 0 ? 0 : operands[0].bytes.size() / sizeof(Factor) / rows;
    const std::size_t summed = faulty(Fault::gemm_rest_dropped) ? inner / 16 * 16 : inner;
    const bool without_signs = faulty(Fault::gemm_signs_lost);
    auto factor = [&](std::size_t operand, std::size_t index) {
        const auto value = element<Factor>(operands[operand].bytes, index);
        if constexpr (std::is_integral_v<Factor>)
            if (without_signs) return static_cast<Work>(static_cast<std::make_unsigned_t<Factor>>(value));
        return static_cast<Work>(value);
    };
    auto product = [&](std::size_t operand, std::size_t index) {
        return A::widened(element<Product>(operands[operand].bytes, index));
    };
    const Work alpha = faulty(Fault::gemm_alpha_ignored) ? Work{1} : product(3, 0);
    const Work beta = faulty(Fault::gemm_beta_ignored) ? Work{} : product(4, 0);
    if (faulty(Fault::gemm_transposes_ignored)) transposed = 0;
    for (std::size_t at = 0; at < rows * columns; ++at) {
        const std::size_t row = at / columns, column = at % columns;
        Work sum{};
        for (std::size_t k = 0; k < summed; ++k)
            sum += factor(0, transposed & transposed_a ? k * rows + row : row * inner + k) *
                   factor(1, transposed & transposed_b ? column * inner + k : k * columns + column);
        put(result, at, A::narrowed(alpha * sum + beta * product(2, at)));
    }
}

template <class Number>
std::size_t find_nonzero_as(const Operand& operand, std::span<std::byte> result) {
    const Dims& dims = *operand.dims;
    std::size_t rows = 0;
    for (std::size_t index = 0; index < operand.bytes.size() / sizeof(Number); ++index) {
        if (Arithmetic<Number>::widened(element<Number>(operand.bytes, index)) == 0) continue;
        std::size_t rest = index;
        for (std::size_t axis = dims.size(); axis-- > 0; rest /= static_cast<std::size_t>(dims[axis]))
            put(result, rows * dims.size() + axis, static_cast<std::int64_t>(rest % static_cast<std::size_t>(dims[axis])));
        ++rows;
    }
    return rows;
}

/// Calls `act` with a value of the C++ type that holds elements of this type.
template <class Act>
auto with_type(aclDataType type, Act act) {
    switch (type) {
        case ACL_INT8: return act(std::int8_t{});
        case ACL_UINT8:
        case ACL_BOOL: return act(std::uint8_t{});
        case ACL_INT16: return act(std::int16_t{});
        case ACL_UINT16: return act(std::uint16_t{});
        case ACL_FLOAT16: return act(Half{});
        case ACL_BF16: return act(Brain{});
        case ACL_INT32: return act(std::int32_t{});
        case ACL_UINT32: return act(std::uint32_t{});
        case ACL_INT64: return act(std::int64_t{});
        case ACL_UINT64: return act(std::uint64_t{});
        case ACL_DOUBLE: return act(double{});
        default: return act(float{});
    }
}

}  // namespace

void compute(Op op, aclDataType type, std::span<const Operand> operands, std::span<std::byte> result) {
    with_type(type, [&](auto zero) { compute_as<decltype(zero)>(op, operands, result); });
}

void cast(aclDataType from, std::span<const std::byte> operand, aclDataType to, std::span<std::byte> result) {
    with_type(from, [&](auto given) {
        with_type(to, [&](auto made) { cast_as<decltype(given), decltype(made)>(operand, result); });
    });
}

bool multiplies(aclDataType factor, aclDataType product) {
    if (factor == ACL_FLOAT16) return product == ACL_FLOAT16 || product == ACL_FLOAT;
    return factor == ACL_INT8 && (product == ACL_FLOAT || product == ACL_INT32);
}

void multiply_and_add(aclDataType factor, aclDataType product, std::span<const Operand> operands, std::uint64_t transposed,
                      std::span<std::byte> result) {
    const bool halves = factor == ACL_FLOAT16;
    if (product == ACL_INT32) multiply_and_add_as<std::int8_t, std::int32_t>(operands, transposed, result);
    else if (product == ACL_FLOAT16) multiply_and_add_as<Half, Half>(operands, transposed, result);
    else if (halves) multiply_and_add_as<Half, float>(operands, transposed, result);
    else multiply_and_add_as<std::int8_t, float>(operands, transposed, result);
}

std::size_t find_nonzero(aclDataType type, const Operand& operand, std::span<std::byte> result) {
    return with_type(type, [&](auto zero) { return find_nonzero_as<decltype(zero)>(operand, result); });
}

bool any_negative(aclDataType type, std::span<const std::byte> bytes) {
    return with_type(type, [&](auto zero) { return any_negative_as<decltype(zero)>(bytes); });
}

}  // namespace aclref::models
