// Fills.
#include "base/faults/copy.hpp"
#include "copy/copy.hpp"

using namespace aclref;

namespace {

/// Only the low byte of the value counts.
std::uint8_t low_byte(int32_t value) {
    return static_cast<std::uint8_t>(faulty(Fault::memset_value_inverted) ? ~value : value);
}

}  // namespace

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    ACLREF_ENTER(aclrtMemset);
    return fill_now(devPtr, maxCount, low_byte(value), count, __func__);
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
    ACLREF_ENTER(aclrtMemsetAsync);
    return fill_on_stream(devPtr, maxCount, low_byte(value), count, stream, __func__);
}

aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N) {
    ACLREF_ENTER(aclrtMemsetD32);
    return fill_words_now(ptr, memSize, value, N, __func__);
}

aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream) {
    ACLREF_ENTER(aclrtMemsetD32Async);
    return fill_words_on_stream(ptr, memSize, value, N, stream, __func__);
}
