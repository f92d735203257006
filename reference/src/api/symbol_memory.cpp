// Device variables: their addresses and sizes, and copies between them and the host.
#include <cstdint>

#include "base/faults/memory.hpp"
#include "copy/copy.hpp"
#include "memory/device_variables.hpp"
#include "memory/pages.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

/// One copy between the host and a variable; `room` is what the destination may take.
struct Request {
    const void* symbol;
    std::size_t room;
    std::size_t count;
    std::size_t offset;
    aclrtMemcpyKind kind;
    aclrtMemcpyKind direction;  ///< the kind that is allowed beside the default
};

aclError null_pointer(const char* api) {
    if (faulty(Fault::symbol_null_accepted)) return ACL_SUCCESS;
    return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", api);
}

aclError check_range(const Request& request, std::size_t size, const char* api) {
    if (faulty(Fault::symbol_range_unchecked)) return ACL_SUCCESS;
    if (request.offset > SIZE_MAX - request.count)
        return fail(ACL_ERROR_INTERNAL_ERROR, "%s: offset %zu and count %zu wrap", api, request.offset, request.count);
    const std::size_t end = request.offset + request.count + (faulty(Fault::symbol_last_byte_refused) ? 1 : 0);
    if (end > size)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %zu bytes at offset %zu leave a variable of %zu", api, request.count,
                    request.offset, size);
    return ACL_SUCCESS;
}

/// Where in the variable the copy begins.
aclError resolve(const Request& request, void*& place, const char* api) {
    const bool known = request.kind == request.direction || request.kind == ACL_MEMCPY_DEFAULT;
    if (!known && !faulty(Fault::symbol_kind_unchecked))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: kind %d is not supported", api, request.kind);
    if (request.count > request.room && !faulty(Fault::symbol_room_unchecked))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: count %zu is above dstMax %zu", api, request.count, request.room);
    DeviceVariable variable;
    if (aclError code = find_device_variable(request.symbol, variable, api)) return code;
    if (aclError code = check_range(request, variable.size, api)) return code;
    std::size_t offset = faulty(Fault::symbol_offset_ignored) ? 0 : request.offset;
    if (faulty(Fault::symbol_large_offset_rounded) && request.count > 2 * MiB) offset = offset / 64 * 64;
    place = reinterpret_cast<void*>(variable.address + offset);
    return ACL_SUCCESS;
}

}  // namespace

aclError aclrtGetSymbolAddress(const void* symbol, void** devPtr) {
    ACLREF_ENTER(aclrtGetSymbolAddress);
    if (symbol == nullptr || devPtr == nullptr) return null_pointer(__func__);
    DeviceVariable variable;
    if (aclError code = find_device_variable(symbol, variable, __func__)) return code;
    *devPtr = reinterpret_cast<void*>(variable.address);
    return ACL_SUCCESS;
}

aclError aclrtGetSymbolSize(const void* symbol, size_t* size) {
    ACLREF_ENTER(aclrtGetSymbolSize);
    if (symbol == nullptr || size == nullptr) return null_pointer(__func__);
    DeviceVariable variable;
    if (aclError code = find_device_variable(symbol, variable, __func__)) return code;
    *size = faulty(Fault::symbol_size_rounded) ? (variable.size + 63) / 64 * 64 : variable.size;
    return ACL_SUCCESS;
}

aclError aclrtMemcpyFromSymbol(void* dst, size_t dstMax, const void* symbol, size_t count, size_t offset,
                               aclrtMemcpyKind kind) {
    ACLREF_ENTER(aclrtMemcpyFromSymbol);
    if (count == 0 && !faulty(Fault::symbol_zero_refused)) return ACL_SUCCESS;
    if (symbol == nullptr || dst == nullptr) return null_pointer(__func__);
    void* from = nullptr;
    const Request request{symbol, dstMax, count, offset, kind, ACL_MEMCPY_DEVICE_TO_HOST};
    if (aclError code = resolve(request, from, __func__)) return code;
    if (faulty(Fault::symbol_sync_returns_early))
        return copy_on_stream(dst, dstMax, from, count, ACL_MEMCPY_DEVICE_TO_HOST, nullptr, __func__);
    return copy_now(dst, dstMax, from, count, ACL_MEMCPY_DEVICE_TO_HOST, __func__);
}

aclError aclrtMemcpyFromSymbolAsync(void* dst, size_t dstMax, const void* symbol, size_t count, size_t offset,
                                    aclrtMemcpyKind kind, aclrtStream stream) {
    ACLREF_ENTER(aclrtMemcpyFromSymbolAsync);
    if (count == 0 && !faulty(Fault::symbol_zero_refused)) return ACL_SUCCESS;
    if (symbol == nullptr || dst == nullptr) return null_pointer(__func__);
    void* from = nullptr;
    const Request request{symbol, dstMax, count, offset, kind, ACL_MEMCPY_DEVICE_TO_HOST};
    if (aclError code = resolve(request, from, __func__)) return code;
    if (faulty(Fault::symbol_async_at_once))
        return copy_now(dst, dstMax, from, count, ACL_MEMCPY_DEVICE_TO_HOST, __func__);
    return copy_on_stream(dst, dstMax, from, count, ACL_MEMCPY_DEVICE_TO_HOST, stream, __func__, true);
}

aclError aclrtMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset, aclrtMemcpyKind kind) {
    ACLREF_ENTER(aclrtMemcpyToSymbol);
    if (count == 0 && !faulty(Fault::symbol_zero_refused)) return ACL_SUCCESS;
    if (symbol == nullptr || src == nullptr) return null_pointer(__func__);
    void* to = nullptr;
    const Request request{symbol, count, count, offset, kind, ACL_MEMCPY_HOST_TO_DEVICE};
    if (aclError code = resolve(request, to, __func__)) return code;
    if (faulty(Fault::symbol_sync_returns_early))
        return copy_on_stream(to, count, src, count, ACL_MEMCPY_HOST_TO_DEVICE, nullptr, __func__);
    return copy_now(to, count, src, count, ACL_MEMCPY_HOST_TO_DEVICE, __func__);
}

aclError aclrtMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset, aclrtMemcpyKind kind,
                                  aclrtStream stream) {
    ACLREF_ENTER(aclrtMemcpyToSymbolAsync);
    if (count == 0 && !faulty(Fault::symbol_zero_refused)) return ACL_SUCCESS;
    if (symbol == nullptr || src == nullptr) return null_pointer(__func__);
    void* to = nullptr;
    const Request request{symbol, count, count, offset, kind, ACL_MEMCPY_HOST_TO_DEVICE};
    if (aclError code = resolve(request, to, __func__)) return code;
    if (faulty(Fault::symbol_async_at_once)) return copy_now(to, count, src, count, ACL_MEMCPY_HOST_TO_DEVICE, __func__);
    return copy_on_stream(to, count, src, count, ACL_MEMCPY_HOST_TO_DEVICE, stream, __func__, true);
}
