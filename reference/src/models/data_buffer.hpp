// Data buffers: an address and a size under a handle. The memory stays the caller's.
#pragma once

#include <cstddef>
#include <memory>

#include "acl/acl.h"
#include "base/handle_table.hpp"

namespace aclref {

struct DataBuffer {
    void* address = nullptr;
    std::size_t size = 0;           ///< bytes
    void* first_address = nullptr;  ///< before all updates; kept by a fault only
};

HandleTable<DataBuffer>& data_buffers();

/// The live object of a handle; null for NULL and for handles that are not alive.
std::shared_ptr<DataBuffer> find_data_buffer(const aclDataBuffer* handle);

}  // namespace aclref
