// Chapter 17-03: shared buffers; chapter 20: their older names, which no product has.
#include "services/buffer.hpp"

#include <cstring>

#include "services/caller_bytes.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

std::shared_ptr<Buffer> live(const void* handle, const char* what, aclError& code) {
    auto found = buffers().find(handle);
    code = found ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "%s does not exist", what);
    return found;
}

aclError check_user_range(size_t size, size_t offset) {
    if (faulty(Fault::buffer_limits_unchecked)) return 0;
    if (size > buffer_user_bytes || offset > buffer_user_bytes - size)
        return refuse(ACL_ERROR_INVALID_PARAM, "%zu bytes from %zu on, there are %zu", size, offset, buffer_user_bytes);
    return 0;
}

/// How many of the bytes lie inside the user's area.
size_t inside(size_t size, size_t offset) { return offset >= buffer_user_bytes ? 0 : std::min(size, buffer_user_bytes - offset); }

}  // namespace

aclError acltdtAllocBuf(size_t size, uint32_t type, acltdtBuf* buf) {
    ACLREF_ENTER(acltdtAllocBuf);
    ACLREF_NEEDS(buf);
    if (!faulty(Fault::buffer_limits_unchecked)) {
        if (type != ACL_TDT_NORMAL_MEM && type != ACL_TDT_DVPP_MEM)
            return refuse(ACL_ERROR_INVALID_PARAM, "there is no memory type %u", type);
        if (size == 0 || size > largest_buffer) return refuse(ACL_ERROR_INVALID_PARAM, "size %zu is not 1 to 4 GiB", size);
    }
    acltdtBuf made = add_buffer(size);
    if (!made) return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "the host has no memory for %zu bytes", size);
    if (faulty(Fault::buffer_starts_full)) buffers().find(made)->length = size;
    *buf = made;
    return 0;
}

aclError acltdtFreeBuf(acltdtBuf buf) {
    ACLREF_ENTER(acltdtFreeBuf);
    ACLREF_NEEDS(buf);
    auto removed = buffers().remove(buf);
    if (!removed) return refuse(ACL_ERROR_INVALID_PARAM, "buf does not exist");
    if (faulty(Fault::buffer_free_takes_references))
        for (const auto& other : buffers().all())
            if (other->data == removed->data) std::memset(other->data->bytes, 0, other->data->size);
    // What was chained to it goes along.
    for (acltdtBuf chained : removed->chain) (void)buffers().remove(chained);
    return 0;
}

aclError acltdtGetBufData(const acltdtBuf buf, void** dataPtr, size_t* size) {
    ACLREF_ENTER(acltdtGetBufData);
    ACLREF_NEEDS(buf);
    ACLREF_NEEDS(dataPtr);
    ACLREF_NEEDS(size);
    aclError code = 0;
    auto found = live(buf, "buf", code);
    if (!found) return code;
    std::lock_guard lock(found->mutex);
    *dataPtr = found->data->bytes;
    *size = faulty(Fault::buffer_tells_length_as_size) ? found->length : found->data->size;
    return 0;
}

aclError acltdtSetBufDataLen(acltdtBuf buf, size_t len) {
    ACLREF_ENTER(acltdtSetBufDataLen);
    ACLREF_NEEDS(buf);
    aclError code = 0;
    auto found = live(buf, "buf", code);
    if (!found) return code;
    std::lock_guard lock(found->mutex);
    if (len > found->data->size && !faulty(Fault::buffer_limits_unchecked))
        return refuse(ACL_ERROR_INVALID_PARAM, "length %zu, the buffer has %zu bytes", len, found->data->size);
    if (!faulty(Fault::buffer_forgets_what_is_set)) found->length = len;
    return 0;
}

aclError acltdtGetBufDataLen(acltdtBuf buf, size_t* len) {
    ACLREF_ENTER(acltdtGetBufDataLen);
    ACLREF_NEEDS(buf);
    ACLREF_NEEDS(len);
    aclError code = 0;
    auto found = live(buf, "buf", code);
    if (!found) return code;
    std::lock_guard lock(found->mutex);
    *len = found->length;
    return 0;
}

aclError acltdtSetBufUserData(acltdtBuf buf, const void* dataPtr, size_t size, size_t offset) {
    ACLREF_ENTER(acltdtSetBufUserData);
    ACLREF_NEEDS(buf);
    ACLREF_NEEDS(dataPtr);
    if (aclError code = check_user_range(size, offset)) return code;
    aclError code = 0;
    auto found = live(buf, "buf", code);
    if (!found) return code;
    std::lock_guard lock(found->mutex);
    if (faulty(Fault::buffer_forgets_what_is_set)) return 0;
    return take_bytes(found->user.data() + offset, dataPtr, inside(size, offset));
}

aclError acltdtGetBufUserData(const acltdtBuf buf, void* dataPtr, size_t size, size_t offset) {
    ACLREF_ENTER(acltdtGetBufUserData);
    ACLREF_NEEDS(buf);
    ACLREF_NEEDS(dataPtr);
    if (aclError code = check_user_range(size, offset)) return code;
    aclError code = 0;
    auto found = live(buf, "buf", code);
    if (!found) return code;
    std::lock_guard lock(found->mutex);
    return give_bytes(dataPtr, found->user.data() + offset, inside(size, offset));
}

aclError acltdtCopyBufRef(const acltdtBuf buf, acltdtBuf* newBuf) {
    ACLREF_ENTER(acltdtCopyBufRef);
    ACLREF_NEEDS(buf);
    ACLREF_NEEDS(newBuf);
    aclError code = 0;
    auto found = live(buf, "buf", code);
    if (!found) return code;
    auto made = std::make_shared<Buffer>();
    {
        std::lock_guard lock(found->mutex);
        made->data = found->data;
        made->length = found->length;
        made->user = found->user;
    }
    if (!faulty(Fault::buffer_reference_copies)) {
        *newBuf = buffers().add(std::move(made));
        return 0;
    }
    *newBuf = add_buffer(made->data->size);
    std::memcpy(buffers().find(*newBuf)->data->bytes, made->data->bytes, made->data->size);
    return 0;
}

aclError acltdtAppendBufChain(acltdtBuf headBuf, acltdtBuf buf) {
    ACLREF_ENTER(acltdtAppendBufChain);
    ACLREF_NEEDS(headBuf);
    ACLREF_NEEDS(buf);
    aclError code = 0;
    auto head = live(headBuf, "headBuf", code);
    if (!head || !live(buf, "buf", code)) return code;
    if (headBuf == buf) return refuse(ACL_ERROR_INVALID_PARAM, "a buffer cannot be chained to itself");
    std::lock_guard lock(head->mutex);
    if (head->chain.size() + 1 >= most_chained && !faulty(Fault::buffer_limits_unchecked))
        return refuse(ACL_ERROR_FAILURE, "a chain has at most %zu buffers", most_chained);
    head->chain.push_back(buf);
    return 0;
}

aclError acltdtGetBufChainNum(acltdtBuf headBuf, uint32_t* num) {
    ACLREF_ENTER(acltdtGetBufChainNum);
    ACLREF_NEEDS(headBuf);
    ACLREF_NEEDS(num);
    aclError code = 0;
    auto head = live(headBuf, "headBuf", code);
    if (!head) return code;
    std::lock_guard lock(head->mutex);
    *num = static_cast<uint32_t>(head->chain.size()) + (faulty(Fault::buffer_chain_without_head) ? 0 : 1);
    return 0;
}

aclError acltdtGetBufFromChain(acltdtBuf headBuf, uint32_t index, acltdtBuf* buf) {
    ACLREF_ENTER(acltdtGetBufFromChain);
    ACLREF_NEEDS(headBuf);
    ACLREF_NEEDS(buf);
    aclError code = 0;
    auto head = live(headBuf, "headBuf", code);
    if (!head) return code;
    std::lock_guard lock(head->mutex);
    const size_t place = faulty(Fault::buffer_chain_without_head) ? size_t{index} + 1 : index;
    if (place > head->chain.size()) {
        if (faulty(Fault::buffer_limits_unchecked)) return 0;
        return refuse(ACL_ERROR_INVALID_PARAM, "index %u, the chain has %zu buffers", index, head->chain.size() + 1);
    }
    *buf = place == 0 ? headBuf : head->chain[place - 1];
    return 0;
}

// The reserved names

#define ACLREF_RESERVED(name, parameters)                                 \
    aclError name parameters {                                            \
        ACLREF_ENTER(name);                                               \
        return refuse(ACL_ERROR_FEATURE_UNSUPPORTED, "reserved");         \
    }

ACLREF_RESERVED(aclrtAllocBuf, (aclrtMbuf*, size_t))
ACLREF_RESERVED(aclrtFreeBuf, (aclrtMbuf))
ACLREF_RESERVED(aclrtGetBufData, (const aclrtMbuf, void**, size_t*))
ACLREF_RESERVED(aclrtSetBufUserData, (aclrtMbuf, const void*, size_t, size_t))
ACLREF_RESERVED(aclrtGetBufUserData, (const aclrtMbuf, void*, size_t, size_t))
ACLREF_RESERVED(aclrtSetBufDataLen, (aclrtMbuf, size_t))
ACLREF_RESERVED(aclrtGetBufDataLen, (aclrtMbuf, size_t*))
ACLREF_RESERVED(aclrtCopyBufRef, (const aclrtMbuf, aclrtMbuf*))
ACLREF_RESERVED(aclrtAppendBufChain, (aclrtMbuf, aclrtMbuf))
ACLREF_RESERVED(aclrtGetBufFromChain, (aclrtMbuf, uint32_t, aclrtMbuf*))
ACLREF_RESERVED(aclrtGetBufChainNum, (aclrtMbuf, uint32_t*))
