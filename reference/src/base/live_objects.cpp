#include "base/live_objects.hpp"

#include <map>

namespace aclref {

namespace {
// A plain list: registration happens while the library is loaded, before anything else may be built.
constinit LiveCounter* first = nullptr;
}  // namespace

LiveCounter::LiveCounter(const char* name, Count count) : name_(name), count_(count), next_(first) { first = this; }

std::string live_objects_json() {
    std::map<std::string, std::uint64_t> totals;
    for (LiveCounter* counter = first; counter; counter = counter->next_) totals[counter->name_] += counter->count_();
    std::string out = "{";
    for (const auto& [name, count] : totals) {
        if (out.size() > 1) out += ",";
        out.append("\"").append(name).append("\":").append(std::to_string(count));
    }
    return out + "}";
}

}  // namespace aclref
