// Chapter 25: data buffers, by which memory is handed to models and operators.
#include "base/faults/models.hpp"
#include "memory/address_space.hpp"
#include "memory/allocation.hpp"
#include "models/data_buffer.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

aclError not_alive() { return refuse(ACL_ERROR_INVALID_PARAM, "dataBuffer is not a live data buffer"); }

/// What no library has to look at, and a broken one does.
bool refused_by_fault(const void* data, std::size_t size) {
    if (faulty(Fault::data_buffer_empty_refused) && data == nullptr && size == 0) return true;
    if (faulty(Fault::data_buffer_host_refused) && AddressSpace::instance().locate(data).is_pinned()) return true;
    return faulty(Fault::data_buffer_needs_device) && !Runtime::instance().current_context();
}

aclDataBuffer* publish(void* data, std::size_t size) {
    if (faulty(Fault::data_buffer_shared)) {
        static thread_local aclDataBuffer* last = nullptr;
        auto known = find_data_buffer(last);
        if (known && known->address == data) return last;
        return last = static_cast<aclDataBuffer*>(data_buffers().add(std::make_shared<DataBuffer>(DataBuffer{data, size, nullptr})));
    }
    if (faulty(Fault::data_buffer_address_aligned))
        data = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(data) / 64 * 64);
    return static_cast<aclDataBuffer*>(data_buffers().add(std::make_shared<DataBuffer>(DataBuffer{data, size, nullptr})));
}

}  // namespace

extern "C" {

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
    if (enter(Function::aclCreateDataBuffer) != 0 || refused_by_fault(data, size)) return nullptr;
    return publish(data, size);
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
    ACLREF_ENTER(aclDestroyDataBuffer);
    if (faulty(Fault::data_buffer_destroy_null_accepted) && dataBuffer == nullptr) return 0;
    ACLREF_REQUIRE(dataBuffer);
    if (faulty(Fault::data_buffer_destroy_leaks) && find_data_buffer(dataBuffer)) return 0;
    auto buffer = data_buffers().remove(dataBuffer);
    if (!buffer) return not_alive();
    if (faulty(Fault::data_buffer_destroy_frees)) (void)free_device(buffer->address, current_function());
    return 0;
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
    ACLREF_ENTER(aclUpdateDataBuffer);
    if (faulty(Fault::data_buffer_update_null_accepted) && dataBuffer == nullptr) return 0;
    ACLREF_REQUIRE(dataBuffer);
    auto buffer = find_data_buffer(dataBuffer);
    if (!buffer) return not_alive();
    if (faulty(Fault::data_buffer_update_ignored)) return 0;
    if (faulty(Fault::data_buffer_update_to_empty_refused)) ACLREF_REQUIRE(data);
    if (faulty(Fault::data_buffer_update_frees)) (void)free_device(buffer->address, current_function());
    const bool unseen = faulty(Fault::data_buffer_update_unseen) || faulty(Fault::data_buffer_update_unseen_by_outputs);
    if (unseen && !buffer->first_address) buffer->first_address = buffer->address;
    buffer->address = data;
    if (!faulty(Fault::data_buffer_update_keeps_size)) buffer->size = size;
    return 0;
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
    if (enter(Function::aclGetDataBufferAddr) != 0) return nullptr;
    auto buffer = find_data_buffer(dataBuffer);
    if (buffer) return buffer->address;
    return faulty(Fault::data_buffer_null_has_address) ? &data_buffers() : nullptr;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
    if (enter(Function::aclGetDataBufferSizeV2) != 0) return 0;
    auto buffer = find_data_buffer(dataBuffer);
    if (!buffer) return faulty(Fault::data_buffer_null_has_size) ? SIZE_MAX : 0;
    if (faulty(Fault::data_buffer_size_in_32_bits)) return static_cast<std::uint32_t>(buffer->size);
    return buffer->size;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
    if (enter(Function::aclGetDataBufferSize) != 0) return 0;
    auto buffer = find_data_buffer(dataBuffer);
    if (!buffer) return faulty(Fault::data_buffer_null_has_size) ? UINT32_MAX : 0;
    if (faulty(Fault::data_buffer_old_size_rounded)) return static_cast<std::uint32_t>((buffer->size + 31) / 32 * 32);
    return static_cast<std::uint32_t>(buffer->size);
}

}  // extern "C"
