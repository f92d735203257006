// Peer access between devices.
#include "copy/peer.hpp"

#include "base/faults/copy.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

bool in_range(int32_t device) { return device >= 0 && device < Runtime::instance().device_count(); }

/// The current device and a peer that exists and differs from it.
aclError check_peer(int32_t peer, int& current, const char* api) {
    aclError code = 0;
    std::shared_ptr<Context> context = require_context(code, api);
    if (code != 0) return code;
    current = context->device().id();
    if (!in_range(peer)) return fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: there is no device %d", api, peer);
    if (peer == current && !faulty(Fault::peer_itself_accepted))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: device %d is the current device itself", api, peer);
    return 0;
}

}  // namespace

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
    ACLREF_ENTER(aclrtDeviceCanAccessPeer);
    if (canAccessPeer == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: canAccessPeer is null", __func__);
    for (int32_t device : {deviceId, peerDeviceId})
        if (!in_range(device)) return fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: there is no device %d", __func__, device);
    if (deviceId == peerDeviceId && !faulty(Fault::peer_itself_accepted))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: both ids are %d", __func__, deviceId);
    // On the control CPU of a device there are no other devices to reach.
    *canAccessPeer = profile().form == Form::ccpu ? 0 : 1;
    if (faulty(Fault::peer_answer_not_binary)) *canAccessPeer = 2;
    return 0;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
    ACLREF_ENTER(aclrtDeviceEnablePeerAccess);
    if (flags != 0 && !faulty(Fault::peer_flags_ignored))
        return fail(ACL_ERROR_FEATURE_UNSUPPORTED, "%s: flags is reserved and has to be 0", __func__);
    int current = 0;
    if (aclError code = check_peer(peerDeviceId, current, __func__)) return code;
    open_peer_access(current, peerDeviceId);
    return 0;
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
    ACLREF_ENTER(aclrtDeviceDisablePeerAccess);
    int current = 0;
    if (aclError code = check_peer(peerDeviceId, current, __func__)) return code;
    close_peer_access(current, peerDeviceId);
    return 0;
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status) {
    ACLREF_ENTER(aclrtDevicePeerAccessStatus);
    if (status == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: status is null", __func__);
    for (int32_t device : {deviceId, peerDeviceId})
        if (!in_range(device)) {
            if (faulty(Fault::peer_status_out_of_range_open)) return *status = 1, 0;
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no device %d", __func__, device);
        }
    *status = deviceId != peerDeviceId && peer_access_open(deviceId, peerDeviceId) ? 1 : 0;
    return 0;
}
