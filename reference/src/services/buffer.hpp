// Shared buffers of chapter 17-03 (acltdtBuf): data, 96 bytes for the user, and a chain.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "acl/acl_tdt_queue.h"
#include "base/handle_table.hpp"

namespace aclref {

inline constexpr std::size_t buffer_user_bytes = 96;
inline constexpr std::size_t largest_buffer = std::size_t{4} << 30;
inline constexpr std::size_t most_chained = 128;

/// Pages that a buffer and its references share.
struct BufferData {
    std::byte* bytes = nullptr;
    std::size_t size = 0;
    ~BufferData();
};

struct Buffer {
    std::mutex mutex;
    std::shared_ptr<BufferData> data;
    std::size_t length = 0;
    std::array<std::byte, buffer_user_bytes> user{};
    std::vector<acltdtBuf> chain;  ///< what was appended to this one, in order
};

/// Null when the host has no memory.
acltdtBuf add_buffer(std::size_t size);
HandleTable<Buffer>& buffers();
void release_buffers();

}  // namespace aclref
