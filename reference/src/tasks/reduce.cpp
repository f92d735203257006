#include "tasks/reduce.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/faults/runtime.hpp"
#include "base/profile.hpp"
#include "memory/address_space.hpp"
#include "tasks/half.hpp"

namespace aclref {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

template <class Number>
Number combined(Number to, Number from, aclrtReduceKind kind) {
    switch (kind) {
        case ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM: return static_cast<Number>(to + from);
        case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX: return std::max(to, from);
        case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN: return std::min(to, from);
        default: return to == from ? Number{1} : Number{0};
    }
}

/// Unsigned arithmetic for integers, which wraps without being undefined.
template <class Number, class Work>
void run(std::byte* to, const std::byte* from, std::size_t bytes, aclrtReduceKind kind) {
    for (std::size_t at = 0; at < bytes; at += sizeof(Number)) {
        Number left;
        Number right;
        std::copy_n(to + at, sizeof(Number), reinterpret_cast<std::byte*>(&left));
        std::copy_n(from + at, sizeof(Number), reinterpret_cast<std::byte*>(&right));
        Number out;
        if constexpr (std::is_class_v<Number>)
            out = Number::from(combined<float>(left, right, kind));
        else if (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM)
            out = static_cast<Number>(static_cast<Work>(left) + static_cast<Work>(right));
        else
            out = combined<Number>(left, right, kind);
        std::copy_n(reinterpret_cast<const std::byte*>(&out), sizeof(Number), to + at);
    }
}

void reduce_chunk(std::byte* to, const std::byte* from, std::size_t bytes, aclrtReduceKind kind, aclDataType type) {
    switch (type) {
        case ACL_INT8: return run<std::int8_t, std::uint32_t>(to, from, bytes, kind);
        case ACL_INT16: return run<std::int16_t, std::uint32_t>(to, from, bytes, kind);
        case ACL_INT32: return run<std::int32_t, std::uint32_t>(to, from, bytes, kind);
        case ACL_UINT32: return run<std::uint32_t, std::uint32_t>(to, from, bytes, kind);
        case ACL_FLOAT16: return run<Half, float>(to, from, bytes, kind);
        case ACL_BF16: return run<Brain, float>(to, from, bytes, kind);
        default: return run<float, float>(to, from, bytes, kind);
    }
}

}  // namespace

std::size_t element_size(aclDataType type) {
    switch (type) {
        case ACL_INT8: return 1;
        case ACL_INT16:
        case ACL_FLOAT16:
        case ACL_BF16: return 2;
        default: return 4;
    }
}

bool reduce_kind_exists(aclrtReduceKind kind) {
    return kind >= ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM && kind <= ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL;
}

bool can_reduce(aclrtReduceKind kind, aclDataType type) {
    if (!reduce_kind_exists(kind)) return false;
    const Product product = profile().product;
    const bool sum_only = product == Product::p310p || product == Product::p910;
    if (sum_only && kind != ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM) return false;
    switch (type) {
        case ACL_FLOAT: return true;
        case ACL_FLOAT16:
        case ACL_INT16: return product != Product::p910;
        case ACL_INT8:
        case ACL_INT32: return !sum_only;
        case ACL_BF16: return !sum_only && product != Product::p310b;
        case ACL_UINT32: return product == Product::p950;
        default: return false;
    }
}

aclError reduce(void* dst, const void* src, std::uint64_t bytes, aclrtReduceKind kind, aclDataType type) {
    AddressSpace& space = AddressSpace::instance();
    std::vector<std::byte> to(std::min<std::size_t>(bytes, chunk_bytes));
    std::vector<std::byte> from(to.size());
    if (faulty(Fault::reduce_last_element_lost)) bytes -= element_size(type);
    if (faulty(Fault::reduce_whole_words_only)) bytes -= bytes % 4;
    if (faulty(Fault::reduce_start_rounded))
        dst = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(dst) / 32 * 32);
    for (std::size_t done = 0; done < bytes; done += to.size()) {
        std::size_t now = std::min<std::size_t>(to.size(), bytes - done);
        auto* at = static_cast<std::byte*>(dst) + done;
        if (aclError code = space.copy(to.data(), at, now)) return code;
        const auto* from_at = static_cast<const std::byte*>(src) + done;
        if (aclError code = space.copy(from.data(), from_at, now)) return code;
        if (faulty(Fault::reduce_first_mib_only) && done > 0) break;
        reduce_chunk(to.data(), from.data(), now, kind, type);
        if (aclError code = space.copy(at, to.data(), now)) return code;
        if (faulty(Fault::reduce_exchanges)) (void)space.copy(const_cast<std::byte*>(from_at), to.data(), now);
    }
    return 0;
}

}  // namespace aclref
