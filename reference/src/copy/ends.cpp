#include "copy/ends.hpp"

#include "base/faults/copy.hpp"
#include "copy/peer.hpp"

namespace aclref {

Ends locate_ends(const void* to, const void* from) {
    AddressSpace& space = AddressSpace::instance();
    Ends ends{space.locate(to), space.locate(from), false, false};
    ends.to_host = ends.to.on_host();
    ends.from_host = ends.from.on_host();
    return ends;
}

aclrtMemcpyKind real_kind(const Ends& ends) {
    if (ends.from_host) return ends.to_host ? ACL_MEMCPY_HOST_TO_HOST : ACL_MEMCPY_HOST_TO_DEVICE;
    return ends.to_host ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_DEVICE_TO_DEVICE;
}

bool kind_exists(aclrtMemcpyKind kind) {
    auto value = static_cast<unsigned>(kind);
    if (value <= ACL_MEMCPY_DEVICE_TO_DEVICE) return true;
    if (value == ACL_MEMCPY_DEFAULT) return profile().cann >= Version{8, 0};
    if (value <= ACL_MEMCPY_INTER_DEVICE_TO_DEVICE) return profile().cann >= Version{8, 2};
    return false;
}

namespace {

/// A grant on mapped memory is as good as peer access, whichever of the two devices got it.
bool granted(const Ends& ends, const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes) {
    const AddressSpace& space = AddressSpace::instance();
    return space.check_range(from, from_bytes, false, ends.to.device) == 0 ||
           space.check_range(to, to_bytes, true, ends.from.device, ends.from_host) == 0;
}

}  // namespace

aclError check_reach(const Ends& ends, const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes,
                     const char* api) {
    if (faulty(Fault::copy_unmapped_accepted) &&
        (ends.to.kind == MemoryKind::reserved || ends.from.kind == MemoryKind::reserved))
        return 0;
    if (ends.device_pair() && ends.to.device >= 0 && ends.from.device >= 0 && ends.to.device != ends.from.device &&
        !devices_may_copy(ends.to.device, ends.from.device) && !granted(ends, to, to_bytes, from, from_bytes))
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: no peer access between device %d and device %d, call aclrtDeviceEnablePeerAccess first", api,
                    ends.from.device, ends.to.device);
    const AddressSpace& space = AddressSpace::instance();
    int from_device = ends.from.device >= 0 ? ends.from.device : ends.to.device;
    int to_device = ends.to.device >= 0 ? ends.to.device : ends.from.device;
    if (aclError code = space.check_range(from, from_bytes, false, from_device)) return code;
    return space.check_range(to, to_bytes, true, to_device, ends.from_host);
}

aclError check_async_kind(const Ends& ends, aclrtMemcpyKind kind, const char* api) {
    // Where host and device are one, every direction runs as a copy inside the device.
    if (profile().shares_memory_with_host()) {
        if (faulty(Fault::memcpy_async_rc_kind_refused) && kind != ACL_MEMCPY_DEVICE_TO_DEVICE)
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kind %d is not supported here", api, kind);
        return 0;
    }
    if (ends.host_pair()) {
        if (faulty(Fault::memcpy_async_h2h_wrong_code))
            return fail(ACL_ERROR_INVALID_PARAM, "%s: host to host is not supported", api);
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: both addresses are host memory, host to host is not supported",
                    api);
    }
    if (kind == ACL_MEMCPY_DEFAULT) return 0;
    if (kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
        if (real_kind(ends) == ACL_MEMCPY_HOST_TO_DEVICE) return 0;
        if (faulty(Fault::memcpy_async_buf_location_ignored)) return 0;
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kind HOST_TO_BUF_TO_DEVICE needs a host source and a device destination",
                    api);
    }
    if (ends.pageable()) {
        if (kind == real_kind(ends) || faulty(Fault::memcpy_async_mismatch_accepted)) return 0;
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kind %d contradicts the location of the addresses", api, kind);
    }
    if (kind == ACL_MEMCPY_HOST_TO_HOST)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: host to host is not supported", api);
    if (faulty(Fault::memcpy_async_kind_trusted) && kind != real_kind(ends))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kind %d contradicts the location of the addresses", api, kind);
    return 0;
}

}  // namespace aclref
