#include "services/buffer.hpp"

#include <sys/mman.h>

#include "base/live_objects.hpp"

namespace aclref {

namespace {

const LiveCounter live{"buffers", [] { return static_cast<std::uint64_t>(buffers().size()); }};

}  // namespace

BufferData::~BufferData() {
    if (bytes) ::munmap(bytes, size);
}

HandleTable<Buffer>& buffers() {
    static auto* table = new HandleTable<Buffer>;
    return *table;
}

acltdtBuf add_buffer(std::size_t size) {
    void* pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    auto made = std::make_shared<Buffer>();
    made->data = std::make_shared<BufferData>();
    made->data->bytes = static_cast<std::byte*>(pages);
    made->data->size = size;
    return buffers().add(std::move(made));
}

void release_buffers() { buffers().clear(); }

}  // namespace aclref
