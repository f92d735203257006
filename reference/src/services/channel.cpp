#include "services/channel.hpp"

#include <cstring>
#include <mutex>
#include <set>

#include "base/faults/services.hpp"
#include "base/handle_table.hpp"
#include "base/live_objects.hpp"
#include "runtime/runtime.hpp"

namespace aclref {

namespace {

HandleTable<Channel>& channels() {
    static auto* table = new HandleTable<Channel>;
    return *table;
}

const LiveCounter live{"tdt_channels", [] { return static_cast<std::uint64_t>(channels().size()); }};

/// What the channel is called among all processes.
std::string full_name(std::uint32_t device, const char* name) {
    if (faulty(Fault::channel_names_are_one)) return "";
    return std::to_string(device) + "-" + name;
}

/// Faulty builds only: names that had a channel once.
bool used_up(std::uint32_t device, const char* name) {
    if (!faulty(Fault::channel_name_used_up)) return false;
    static std::mutex mutex;
    static std::set<std::string> names;
    std::lock_guard lock(mutex);
    return !names.insert(full_name(device, name)).second;
}

bool bad_capacity(std::size_t capacity) {
    const std::size_t least = faulty(Fault::channel_of_two_refused) ? least_channel_capacity + 1 : least_channel_capacity;
    return capacity < least || capacity > most_channel_capacity;
}

}  // namespace

void Channel::stop() {
    stopped_ = true;
    if (!faulty(Fault::channel_stop_wakes_nobody)) messages_->wake();
}

acltdtChannelHandle* create_channel(std::uint32_t device, const char* name, std::size_t capacity, bool has_capacity) {
    const bool lax = faulty(Fault::channel_limits_unchecked);
    if (!name && faulty(Fault::service_null_accepted)) name = "";
    if (!name) {
        (void)refuse(ACL_ERROR_INVALID_PARAM, "name is NULL");
        return nullptr;
    }
    if (std::strlen(name) > longest_channel_name && !lax) {
        (void)refuse(ACL_ERROR_INVALID_PARAM, "the name is longer than %zu characters", longest_channel_name);
        return nullptr;
    }
    if (has_capacity && bad_capacity(capacity) && !lax) {
        (void)refuse(ACL_ERROR_INVALID_PARAM, "capacity %zu is not %zu to %zu", capacity, least_channel_capacity,
                     most_channel_capacity);
        return nullptr;
    }
    aclError code = 0;
    if (!lax && !require_device(device, code, ACL_ERROR_INVALID_PARAM)) return nullptr;
    if (used_up(device, name)) return nullptr;
    const bool bounded = has_capacity && !faulty(Fault::channel_never_full);
    auto messages = MessageFile::open(full_name(device, name), bounded ? capacity : most_channel_capacity);
    if (!messages) {
        (void)refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "the host has no shared memory for a channel");
        return nullptr;
    }
    auto made = std::make_shared<Channel>(name, has_capacity, std::move(messages));
    return static_cast<acltdtChannelHandle*>(channels().add(std::move(made)));
}

std::shared_ptr<Channel> find_channel(const acltdtChannelHandle* handle) { return channels().find(handle); }

bool destroy_channel(const acltdtChannelHandle* handle) {
    auto removed = channels().remove(handle);
    if (removed) removed->stop();
    return removed != nullptr;
}

void release_channels() {
    for (const auto& channel : channels().all()) channel->stop();
    channels().clear();
}

}  // namespace aclref
