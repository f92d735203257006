// Tensor channels (acltdtChannelHandle): a device and a name, shared by the processes that open both.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "acl/acl_tdt.h"
#include "services/message_file.hpp"

namespace aclref {

class Channel {
public:
    Channel(std::string name, bool has_capacity, std::shared_ptr<MessageFile> messages)
        : name_(std::move(name)), has_capacity_(has_capacity), messages_(std::move(messages)) {}
    const std::string& name() const { return name_; }
    /// Made by acltdtCreateChannelWithCapacity: it can be counted and cleaned.
    bool has_capacity() const { return has_capacity_; }
    MessageFile& messages() { return *messages_; }
    const std::atomic<bool>& stopped() const { return stopped_; }
    /// Nothing goes through this handle any more; who waits is woken.
    void stop();

private:
    std::string name_;
    bool has_capacity_;
    std::shared_ptr<MessageFile> messages_;
    std::atomic<bool> stopped_{false};
};

inline constexpr std::size_t longest_channel_name = 127;
inline constexpr std::size_t least_channel_capacity = 2;
inline constexpr std::size_t most_channel_capacity = most_messages;

/// Null, with a recorded reason, for a wrong device, name or capacity. `capacity` 0: a channel without one.
acltdtChannelHandle* create_channel(std::uint32_t device, const char* name, std::size_t capacity, bool has_capacity);
std::shared_ptr<Channel> find_channel(const acltdtChannelHandle* handle);
bool destroy_channel(const acltdtChannelHandle* handle);
void release_channels();

}  // namespace aclref
