// Chapter 04: the three numbers of a device (see runtime/visible_devices.hpp).
#include "runtime/runtime.hpp"
#include "base/faults/runtime.hpp"

using namespace aclref;

namespace {

aclError check_number(int32_t id) {
    return id >= 0 ? 0 : refuse(ACL_ERROR_RT_PARAM_INVALID, "id %d is negative", id);
}

/// User id to the machine's number, logical or physical.
aclError from_user(int32_t user, int32_t* out, bool physical) {
    ACLREF_REQUIRE(out);
    aclError code = check_number(user);
    if (code) return code;
    Device* device = require_device(user, code);
    if (!device) return code;
    const bool as_given = physical ? faulty(Fault::physical_id_ignores_visible_list) : faulty(Fault::logic_id_is_user_id);
    *out = as_given ? user : device->logical_id();
    if (physical && faulty(Fault::physical_ids_from_one)) ++*out;
    return 0;
}

/// The machine's number to the user id.
aclError to_user(int32_t number, int32_t* out) {
    ACLREF_REQUIRE(out);
    if (aclError code = check_number(number)) return code;
    if (faulty(Fault::user_id_is_logic_id)) return *out = number, 0;
    const auto& visible = Runtime::instance().visible_devices();
    for (std::size_t user = 0; user < visible.size(); ++user)
        if (visible[user] == number) {
            *out = static_cast<int32_t>(user);
            return 0;
        }
    return refuse(ACL_ERROR_RT_INVALID_DEVICEID, "the process does not see a device %d", number);
}

}  // namespace

extern "C" {

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t* const logicDevId) {
    ACLREF_ENTER(aclrtGetLogicDevIdByUserDevId);
    return from_user(userDevid, logicDevId, false);
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t* const userDevid) {
    ACLREF_ENTER(aclrtGetUserDevIdByLogicDevId);
    return to_user(logicDevId, userDevid);
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t* const phyDevId) {
    ACLREF_ENTER(aclrtGetPhyDevIdByUserDevId);
    return from_user(userDevId, phyDevId, true);
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t* const userDevId) {
    ACLREF_ENTER(aclrtGetUserDevIdByPhyDevId);
    return to_user(phyDevId, userDevId);
}

// The next two are misnamed and documented so: their "logical" ids are user ids.

aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* const logicDevId) {
    ACLREF_ENTER(aclrtGetLogicDevIdByPhyDevId);
    return to_user(phyDevId, logicDevId);
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* const phyDevId) {
    ACLREF_ENTER(aclrtGetPhyDevIdByLogicDevId);
    return from_user(logicDevId, phyDevId, true);
}

}  // extern "C"
