#include "base/inject.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

namespace aclref {

namespace {

struct Order {
    unsigned count = 0;
    aclError code = 0;
};

constinit std::mutex mutex;
constinit std::array<Order, function_count> orders{};
constinit std::atomic<unsigned> outstanding{0};

}  // namespace

bool inject_call_error(std::string_view function, unsigned count, aclError code) {
    auto it = std::find_if(function_names.begin(), function_names.end(),
                           [&](const char* name) { return function == name; });
    if (it == function_names.end()) return false;
    std::lock_guard lock(mutex);
    Order& order = orders[static_cast<std::size_t>(it - function_names.begin())];
    outstanding.fetch_add(count - order.count, std::memory_order_relaxed);
    order = {count, code};
    return true;
}

aclError take_injected_error(Function function) noexcept {
    if (outstanding.load(std::memory_order_relaxed) == 0) return 0;
    std::lock_guard lock(mutex);
    Order& order = orders[static_cast<std::size_t>(function)];
    if (order.count == 0) return 0;
    --order.count;
    outstanding.fetch_sub(1, std::memory_order_relaxed);
    return order.code;
}

void forget_injected_errors() noexcept {
    std::lock_guard lock(mutex);
    orders.fill({});
    outstanding.store(0, std::memory_order_relaxed);
}

}  // namespace aclref
