#include "services/ranges.hpp"

#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/faults/services.hpp"

namespace aclref {

namespace {

struct Numbered {
    Range range;
    pid_t thread;
};

struct Ranges {
    std::mutex mutex;
    std::uint32_t next = 1;
    std::map<std::uint32_t, Numbered> numbered;
    std::map<std::pair<pid_t, Nesting>, std::vector<Range>> nested;
};

Ranges& ranges() {
    static auto* instance = new Ranges;
    return *instance;
}

Range made(std::string message) { return {std::move(message), std::chrono::steady_clock::now()}; }

pid_t owner() { return faulty(Fault::ranges_of_all_threads) ? 0 : ::gettid(); }

}  // namespace

std::uint32_t begin_range(std::string message) {
    std::lock_guard lock(ranges().mutex);
    const std::uint32_t number = ranges().next++;
    ranges().numbered[number] = {made(std::move(message)), ::gettid()};
    return number;
}

std::optional<Range> end_range(std::uint32_t number) {
    std::lock_guard lock(ranges().mutex);
    auto it = ranges().numbered.find(number);
    if (it == ranges().numbered.end()) return std::nullopt;
    if (faulty(Fault::range_ends_in_its_thread) && it->second.thread != ::gettid()) return std::nullopt;
    std::optional<Range> out = std::move(it->second.range);
    ranges().numbered.erase(it);
    return out;
}

void push_range(Nesting nesting, std::string message) {
    std::lock_guard lock(ranges().mutex);
    ranges().nested[{owner(), nesting}].push_back(made(std::move(message)));
}

std::optional<Range> pop_range(Nesting nesting) {
    std::lock_guard lock(ranges().mutex);
    auto it = ranges().nested.find({owner(), nesting});
    if (it == ranges().nested.end()) return std::nullopt;
    std::optional<Range> out = std::move(it->second.back());
    it->second.pop_back();
    if (it->second.empty()) ranges().nested.erase(it);
    return out;
}

void forget_ranges() {
    std::lock_guard lock(ranges().mutex);
    ranges().numbered.clear();
    ranges().nested.clear();
}

}  // namespace aclref
