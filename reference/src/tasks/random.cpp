#include "tasks/random.hpp"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <type_traits>
#include <vector>

#include "base/faults/runtime.hpp"
#include "memory/address_space.hpp"
#include "tasks/half.hpp"

namespace aclref {

namespace {

/// Numbers by their place: the n-th one does not depend on the ones before.
class Source {
public:
    Source(std::uint64_t seed, std::uint64_t counter) : seed_(mixed(seed)), place_(counter) {}

    std::uint64_t bits() { return mixed(seed_ ^ mixed(place_++)); }
    /// In [0, 1).
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    double normal() {
        double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

private:
    static std::uint64_t mixed(std::uint64_t value) {
        value += 0x9E3779B97F4A7C15;
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }
    std::uint64_t seed_;
    std::uint64_t place_;
};

/// A parameter stands in the task, or the task tells where it stands in device memory.
template <class Value>
aclError read_parameter(const aclrtRandomParaInfo& parameter, Value& value) {
    if (parameter.isAddr == 0) {
        std::memcpy(&value, parameter.valueOrAddr, sizeof(value));
        return 0;
    }
    void* address = nullptr;
    std::memcpy(&address, parameter.valueOrAddr, sizeof(address));
    return AddressSpace::instance().copy(&value, address, sizeof(value));
}

template <class Number>
Number converted(double value) {
    if constexpr (std::is_class_v<Number>) return Number::from(static_cast<float>(value));
    else return static_cast<Number>(value);
}

template <class Number>
double as_double(Number value) {
    if constexpr (std::is_class_v<Number>) return static_cast<float>(value);
    else return static_cast<double>(value);
}

double truncated_normal(Source& source) {
    double value = source.normal();
    while (std::fabs(value) > 2) value = source.normal();
    return value;
}

/// One element after the other, by the function of the task.
template <class Number>
aclError fill_numbers(const aclrtRandomNumFuncParaInfo& function, Source& source, std::vector<Number>& out) {
    bool is_uniform = function.funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
    const auto& first_of = is_uniform ? function.paramInfo.uniformDisInfo.min : function.paramInfo.normalDisInfo.mean;
    const auto& second_of = is_uniform ? function.paramInfo.uniformDisInfo.max : function.paramInfo.normalDisInfo.stddev;
    Number first{};
    Number second{};
    if (aclError code = read_parameter(first_of, first)) return code;
    if (aclError code = read_parameter(second_of, second)) return code;
    const double from = as_double(first);
    const double scale = is_uniform ? as_double(second) - from : as_double(second);
    for (Number& number : out) {
        double drawn = is_uniform ? source.uniform()
                       : function.funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS ? source.normal()
                                                                                     : truncated_normal(source);
        if (is_uniform && faulty(Fault::random_beyond_bounds)) drawn *= 2;
        if (is_uniform && faulty(Fault::random_lower_half_only)) drawn /= 2;
        if (!is_uniform && faulty(Fault::random_too_wide)) drawn *= 1.5;
        number = converted<Number>(from + drawn * scale);
    }
    return 0;
}

template <class Number>
aclError write_numbers(const aclrtRandomNumTaskInfo& info, std::uint64_t amount, Source& source) {
    std::vector<Number> numbers(amount);
    if (aclError code = fill_numbers(info.randomNumFuncParaInfo, source, numbers)) return code;
    if (faulty(Fault::random_count_rounded)) numbers.resize((amount + 3) / 4 * 4);
    return AddressSpace::instance().copy(info.randomResultAddr, numbers.data(), numbers.size() * sizeof(Number));
}

/// A bit for each element; it is set as often as the ratio says.
aclError write_mask(const aclrtRandomNumTaskInfo& info, std::uint64_t amount, Source& source) {
    float ratio = 0;
    if (aclError code = read_parameter(info.randomNumFuncParaInfo.paramInfo.dropoutBitmaskInfo.dropoutRation, ratio))
        return code;
    std::vector<std::uint8_t> mask((amount + 7) / 8);
    for (std::uint64_t at = 0; at < amount; ++at)
        if (source.uniform() < ratio) mask[at / 8] = static_cast<std::uint8_t>(mask[at / 8] | 1U << (at % 8));
    return AddressSpace::instance().copy(info.randomResultAddr, mask.data(), mask.size());
}

aclError write_result(const aclrtRandomNumTaskInfo& info, std::uint64_t amount, Source& source) {
    if (info.randomNumFuncParaInfo.funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK)
        return write_mask(info, amount, source);
    switch (info.dataType) {
        case ACL_INT32: return write_numbers<std::int32_t>(info, amount, source);
        case ACL_INT64: return write_numbers<std::int64_t>(info, amount, source);
        case ACL_UINT32: return write_numbers<std::uint32_t>(info, amount, source);
        case ACL_UINT64: return write_numbers<std::uint64_t>(info, amount, source);
        case ACL_FLOAT16: return write_numbers<Half>(info, amount, source);
        case ACL_BF16: return write_numbers<Brain>(info, amount, source);
        default: return write_numbers<float>(info, amount, source);
    }
}

}  // namespace

bool can_randomise(aclDataType type) {
    switch (type) {
        case ACL_INT32:
        case ACL_INT64:
        case ACL_UINT32:
        case ACL_UINT64:
        case ACL_FLOAT16:
        case ACL_BF16:
        case ACL_FLOAT: return true;
        default: return false;
    }
}

aclError make_random_numbers(const aclrtRandomNumTaskInfo& info) {
    AddressSpace& space = AddressSpace::instance();
    std::uint64_t seed = 0;
    std::uint64_t amount = 0;
    std::uint64_t counter = 0;
    if (aclError code = read_parameter(info.randomSeed, seed)) return code;
    if (aclError code = read_parameter(info.randomNum, amount)) return code;
    if (aclError code = space.copy(&counter, info.randomCounterAddr, sizeof(counter))) return code;
    if (amount > profile().memory_bytes) return ACL_ERROR_RT_PARAM_INVALID;
    static std::atomic<std::uint64_t> drawn{0};
    if (faulty(Fault::random_seed_ignored)) seed += ++drawn;
    if (faulty(Fault::random_seed_unread)) seed = 0;
    Source source(seed, counter);
    if (aclError code = write_result(info, amount, source)) return code;
    const std::uint64_t after[3] = {counter + amount, 0, 0};
    return space.copy(info.randomCounterAddr, after, faulty(Fault::random_counter_too_wide) ? sizeof(after) : sizeof(after[0]));
}

}  // namespace aclref
