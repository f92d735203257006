// The two ends of a copy: where they are, which direction that makes, and whether the copy may happen at all.
#pragma once

#include <cstddef>

#include "base/profile.hpp"
#include "memory/address_space.hpp"

namespace aclref {

/// What moving the bytes has to know of their way.
struct Route {
    bool to_host = false;
    bool from_host = false;
    bool steady = false;  ///< the caller waits: its pageable memory stays as it was when it was checked
};

struct Ends {
    Located to;
    Located from;
    bool to_host;
    bool from_host;

    bool host_pair() const { return to_host && from_host; }
    bool device_pair() const { return !to_host && !from_host; }
    Route route(bool steady) const { return {to_host, from_host, steady}; }
    bool crosses_link() const { return to_host != from_host; }
    /// One end is memory the library does not know: it may be paged out, moved or freed behind our back.
    bool pageable() const { return to.kind == MemoryKind::foreign || from.kind == MemoryKind::foreign; }
};

Ends locate_ends(const void* to, const void* from);

/// The plain kind that names the direction of the two addresses.
aclrtMemcpyKind real_kind(const Ends& ends);

/// Whether the enumeration has this kind in the profile's version (DEFAULT since 8.0, the later three since 8.2).
bool kind_exists(aclrtMemcpyKind kind);

/// Both ranges have memory behind them, the devices may reach each other, and nothing is read-only. 0 or a code.
aclError check_reach(const Ends& ends, const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes,
                     const char* api);

/// The kind of an asynchronous copy against the real direction. In EP form known addresses win over the kind, a
/// contradiction with pageable memory is refused, and host-to-host is no task for the device. 0 or a code.
aclError check_async_kind(const Ends& ends, aclrtMemcpyKind kind, const char* api);

}  // namespace aclref
