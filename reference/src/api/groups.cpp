// Chapter 16: groups of compute units.
#include "runtime/groups.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/faults/runtime.hpp"
#include "base/live_objects.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

constexpr std::size_t attribute_count = ACL_GROUP_GROUPID_INT + 1;

/// The attributes of one group, by aclrtGroupAttr.
using Group = std::array<std::int32_t, attribute_count>;

}  // namespace

struct tagRtGroupInfo {
    std::vector<Group> groups;
};

namespace {

constexpr std::int32_t copy_engines = 1;
constexpr std::int32_t queues = 32;

std::vector<Group> groups_of_device() {
    const SocFacts& soc = profile().soc();
    const unsigned count = group_count();
    auto share = [count](std::uint32_t cores) { return static_cast<std::int32_t>(cores / count); };
    std::vector<Group> groups;
    for (unsigned id = 0; id < count; ++id)
        groups.push_back({share(soc.ai_cores), share(soc.vector_cores), share(soc.cube_cores), copy_engines, queues,
                          static_cast<std::int32_t>(id)});
    return groups;
}

struct Blocks {
    std::mutex mutex;
    std::set<const aclrtGroupInfo*> alive;
};

Blocks& blocks() {
    static auto* instance = new Blocks;
    return *instance;
}

const LiveCounter live{"group_infos", [] {
                           std::lock_guard lock(blocks().mutex);
                           return static_cast<std::uint64_t>(blocks().alive.size());
                       }};

aclError check_block(const aclrtGroupInfo* info) {
    std::lock_guard lock(blocks().mutex);
    if (blocks().alive.count(info)) return 0;
    return refuse(ACL_ERROR_INVALID_PARAM, "groupInfo was not made by aclrtCreateGroupInfo");
}

/// The value of an attribute, or why there is none.
aclError attribute_of(const aclrtGroupInfo& info, std::int32_t index, aclrtGroupAttr attr, std::int32_t& value) {
    const auto count = static_cast<std::int32_t>(info.groups.size());
    if (count > 0 && faulty(Fault::group_index_wraps)) index = (index % count + count) % count;
    if (index < 0 || index >= count)
        return refuse(ACL_ERROR_INVALID_PARAM, "groupIndex %d is not below %d", index, count);
    if (static_cast<std::size_t>(attr) >= attribute_count) {
        value = 0;
        return faulty(Fault::group_attribute_unchecked) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "attr %d does not exist", attr);
    }
    value = info.groups[static_cast<std::size_t>(index)][static_cast<std::size_t>(attr)];
    return 0;
}

std::atomic<unsigned> ordered{0};

}  // namespace

unsigned aclref::group_count() { return ordered.load(); }

void aclref::set_group_count(unsigned count) { ordered.store(count); }

extern "C" {

aclError aclrtSetGroup(int32_t groupId) {
    ACLREF_ENTER(aclrtSetGroup);
    aclError code = 0;
    if (!faulty(Fault::group_set_without_context) && !require_context(code, current_function())) return code;
    if (groupId >= 0 && static_cast<unsigned>(groupId) < group_count()) return 0;
    if (faulty(Fault::group_unknown_accepted)) return 0;
    return refuse(ACL_ERROR_RT_GROUP_NOT_CREATE, "there is no group %d", groupId);
}

aclError aclrtGetGroupCount(uint32_t* count) {
    ACLREF_ENTER(aclrtGetGroupCount);
    ACLREF_REQUIRE(count);
    aclError code = 0;
    if (!require_context(code, current_function())) return code;
    *count = group_count();
    if (*count > 1 && faulty(Fault::group_count_of_one)) *count = 1;
    return 0;
}

aclrtGroupInfo* aclrtCreateGroupInfo() {
    if (enter(Function::aclrtCreateGroupInfo) != 0) return nullptr;
    if (group_count() == 0 || faulty(Fault::group_info_refused)) return nullptr;
    auto made = std::make_unique<aclrtGroupInfo>();
    std::lock_guard lock(blocks().mutex);
    blocks().alive.insert(made.get());
    return made.release();
}

aclError aclrtDestroyGroupInfo(aclrtGroupInfo* groupInfo) {
    ACLREF_ENTER(aclrtDestroyGroupInfo);
    ACLREF_REQUIRE(groupInfo);
    if (aclError code = check_block(groupInfo)) return code;
    std::lock_guard lock(blocks().mutex);
    blocks().alive.erase(groupInfo);
    delete groupInfo;
    return 0;
}

aclError aclrtGetAllGroupInfo(aclrtGroupInfo* groupInfo) {
    ACLREF_ENTER(aclrtGetAllGroupInfo);
    ACLREF_REQUIRE(groupInfo);
    if (aclError code = check_block(groupInfo)) return code;
    if (faulty(Fault::group_all_refused)) return refuse(ACL_ERROR_INVALID_PARAM, "groupInfo is not known");
    groupInfo->groups = groups_of_device();
    return 0;
}

aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo* groupInfo, int32_t groupIndex, aclrtGroupAttr attr,
                                 void* attrValue, size_t valueLen, size_t* paramRetSize) {
    ACLREF_ENTER(aclrtGetGroupInfoDetail);
    ACLREF_REQUIRE(groupInfo);
    ACLREF_REQUIRE(attrValue);
    ACLREF_REQUIRE(paramRetSize);
    if (aclError code = check_block(groupInfo)) return code;
    std::int32_t value = 0;
    if (aclError code = attribute_of(*groupInfo, groupIndex, attr, value)) return code;
    if (valueLen < sizeof(value) && !faulty(Fault::group_short_buffer_accepted))
        return refuse(ACL_ERROR_INVALID_PARAM, "valueLen %zu is below %zu", valueLen, sizeof(value));
    std::memcpy(attrValue, &value, valueLen < sizeof(value) ? valueLen : sizeof(value));
    if (!faulty(Fault::group_size_untold)) *paramRetSize = sizeof(value);
    return 0;
}

}  // extern "C"
