// Chapter 16: groups of compute units. They are made with a tool of the driver; the reference device has none.
#include "runtime/runtime.hpp"

using namespace aclref;

extern "C" {

aclError aclrtSetGroup(int32_t groupId) {
    ACLREF_ENTER(aclrtSetGroup);
    aclError code = 0;
    if (!require_context(code, current_function())) return code;
    return refuse(ACL_ERROR_RT_GROUP_NOT_CREATE, "there is no group %d", groupId);
}

aclError aclrtGetGroupCount(uint32_t* count) {
    ACLREF_ENTER(aclrtGetGroupCount);
    ACLREF_REQUIRE(count);
    aclError code = 0;
    if (!require_context(code, current_function())) return code;
    *count = 0;
    return 0;
}

aclrtGroupInfo* aclrtCreateGroupInfo() {
    (void)enter(Function::aclrtCreateGroupInfo);
    return nullptr;
}

aclError aclrtDestroyGroupInfo(aclrtGroupInfo* groupInfo) {
    ACLREF_ENTER(aclrtDestroyGroupInfo);
    ACLREF_REQUIRE(groupInfo);
    return refuse(ACL_ERROR_INVALID_PARAM, "groupInfo was not made by aclrtCreateGroupInfo");
}

aclError aclrtGetAllGroupInfo(aclrtGroupInfo* groupInfo) {
    ACLREF_ENTER(aclrtGetAllGroupInfo);
    ACLREF_REQUIRE(groupInfo);
    return refuse(ACL_ERROR_INVALID_PARAM, "groupInfo was not made by aclrtCreateGroupInfo");
}

aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo* groupInfo, int32_t groupIndex, aclrtGroupAttr attr,
                                 void* attrValue, size_t valueLen, size_t* paramRetSize) {
    ACLREF_ENTER(aclrtGetGroupInfoDetail);
    ACLREF_REQUIRE(groupInfo);
    ACLREF_REQUIRE(attrValue);
    ACLREF_REQUIRE(paramRetSize);
    return refuse(ACL_ERROR_INVALID_PARAM, "there is no group %d (attr %d, valueLen %zu)", groupIndex, attr, valueLen);
}

}  // extern "C"
