#include "base/live_objects.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace aclref {

namespace {
// A plain list: registration happens while the library is loaded, before anything else may be built.
constinit LiveCounter* first = nullptr;
}  // namespace

LiveCounter::LiveCounter(const char* name, Count count) : name_(name), count_(count), next_(first) { first = this; }

std::string live_objects_json() {
    // Every counter is registered once the library has been loaded: what has one name is gathered once.
    static const auto& kinds = *new const auto([] {
        std::map<std::string, std::vector<const LiveCounter*>> gathered;
        for (const LiveCounter* counter = first; counter; counter = counter->next_)
            gathered[counter->name_].push_back(counter);
        return gathered;
    }());
    std::string out = "{";
    for (const auto& [name, counters] : kinds) {
        std::uint64_t total = 0;
        for (const LiveCounter* counter : counters) total += counter->count_();
        if (out.size() > 1) out += ",";
        out.append("\"").append(name).append("\":").append(std::to_string(total));
    }
    return out + "}";
}

}  // namespace aclref
