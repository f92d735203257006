#include "models/data_buffer.hpp"

#include "base/live_objects.hpp"

namespace aclref {

namespace {

const LiveCounter counter("data_buffers", [] { return static_cast<std::uint64_t>(data_buffers().size()); });

}  // namespace

HandleTable<DataBuffer>& data_buffers() {
    // Never destroyed: exit handlers of the caller may still give buffers back.
    static auto* all = new HandleTable<DataBuffer>;
    return *all;
}

std::shared_ptr<DataBuffer> find_data_buffer(const aclDataBuffer* handle) {
    return handle == nullptr ? nullptr : data_buffers().find(handle);
}

}  // namespace aclref
