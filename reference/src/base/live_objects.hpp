// Counts of what is alive, by name, for aclrefLiveObjects and the leak checks built on it.
#pragma once

#include <cstdint>
#include <string>

namespace aclref {

/// Adds a counter. Rooms register theirs with a namespace-scope object:
///   const LiveCounter streams("streams", [] { return …; });
/// The same name twice adds up.
class LiveCounter {
public:
    using Count = std::uint64_t (*)();
    LiveCounter(const char* name, Count count);

private:
    friend std::string live_objects_json();
    const char* name_;
    Count count_;
    LiveCounter* next_;
};

/// {"contexts":0,"streams":0,…}
std::string live_objects_json();

}  // namespace aclref
