// Copies, fills, peer access and allocators through the public interface, on several profiles.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include <sys/mman.h>

#include "acl/acl.h"
#include "acl/acl_rt_allocator.h"
#include "aclref_control.h"
#include "checks.hpp"

namespace {

using Bytes = std::vector<unsigned char>;

Bytes pattern(std::size_t size, unsigned seed) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>((i * 131 + i / 251 + seed * 17) & 0xFF);
    return bytes;
}

/// A library on one profile, device 0 current.
struct Session {
    explicit Session(const char* profile) {
        CHECK(aclrefConfigure(profile) == 0);
        CHECK(aclInit(nullptr) == 0);
        CHECK(aclrtSetDevice(0) == 0);
    }
    ~Session() {
        CHECK(aclrefReset() == 0);
    }
};

struct DeviceBlock {
    explicit DeviceBlock(std::size_t bytes) : size(bytes) { CHECK(aclrtMalloc(&at, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0); }
    ~DeviceBlock() { CHECK(aclrtFree(at) == 0); }
    unsigned char* operator+(std::size_t offset) const { return static_cast<unsigned char*>(at) + offset; }
    void write(const Bytes& bytes) const {
        CHECK(aclrtMemcpy(at, size, bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    }
    Bytes read() const {
        Bytes bytes(size);
        CHECK(aclrtMemcpy(bytes.data(), size, at, size, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
        return bytes;
    }
    void* at = nullptr;
    std::size_t size;
};

struct PinnedBlock {
    explicit PinnedBlock(std::size_t bytes) : size(bytes) { CHECK(aclrtMallocHost(&at, bytes) == 0); }
    ~PinnedBlock() { CHECK(aclrtFreeHost(at) == 0); }
    unsigned char* data() const { return static_cast<unsigned char*>(at); }
    void write(const Bytes& bytes) const { std::memcpy(at, bytes.data(), bytes.size()); }
    Bytes read() const { return Bytes(data(), data() + size); }
    void* at = nullptr;
    std::size_t size;
};

struct OwnStream {
    OwnStream() { CHECK(aclrtCreateStream(&handle) == 0); }
    ~OwnStream() { CHECK(aclrtDestroyStream(handle) == 0); }
    aclrtStream handle = nullptr;
};

/// Holds a stream until it is released.
struct Hold {
    explicit Hold(aclrtStream stream) : held(stream) { CHECK(aclrtLaunchHostFunc(stream, wait, this) == 0); }
    ~Hold() { release(); }
    void release() { open.store(true); }
    static void wait(void* self) {
        while (!static_cast<Hold*>(self)->open.load()) std::this_thread::yield();
    }
    std::atomic<bool> open{false};
    aclrtStream held;
};

void test_linear() {
    Session session("product=910b;form=EP;cann=9.0");
    for (std::size_t size : {1u, 3u, 31u, 32u, 33u, 63u, 64u, 65u, 4095u, 4097u, 1u << 20}) {
        Bytes source = pattern(size, 1);
        DeviceBlock first(size + 16);
        DeviceBlock second(size + 16);
        CHECK(aclrtMemset(first.at, first.size, 0xEE, first.size) == 0);
        CHECK(aclrtMemset(second.at, second.size, 0xEE, second.size) == 0);
        CHECK(aclrtMemcpy(first + 3, size + 13, source.data(), size, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
        CHECK(aclrtMemcpy(second + 5, size, first + 3, size, ACL_MEMCPY_DEVICE_TO_DEVICE) == 0);
        Bytes back = second.read();
        CHECK(std::equal(source.begin(), source.end(), back.begin() + 5));
        CHECK(back[4] == 0xEE && back[size + 5] == 0xEE);
        Bytes host(size + 2, 0xEE);
        CHECK(aclrtMemcpy(host.data() + 1, size + 1, second + 5, size, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
        CHECK(host.front() == 0xEE && host.back() == 0xEE && std::equal(source.begin(), source.end(), host.begin() + 1));
    }
}

void test_linear_between_hosts() {
    Session session("product=910b;form=EP;cann=9.0");
    Bytes source = pattern(4097, 13);
    Bytes copied(4098, 0xEE);
    PinnedBlock pinned(4097);
    CHECK(aclrtMemcpy(pinned.at, 4097, source.data(), 4097, ACL_MEMCPY_HOST_TO_HOST) == 0 && pinned.read() == source);
    CHECK(aclrtMemcpy(copied.data(), 4098, pinned.at, 4097, ACL_MEMCPY_HOST_TO_HOST) == 0);
    CHECK(copied.back() == 0xEE && std::equal(source.begin(), source.end(), copied.begin()));
}

/// A window across the border of two handles mapped side by side.
void test_mapping_border() {
    Session session("product=910b;form=EP;cann=9.0");
    OwnStream stream;
    constexpr std::size_t granule = 2 << 20;
    aclrtPhysicalMemProp property{};
    property.memAttr = ACL_HBM_MEM_HUGE;
    property.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    void* range = nullptr;
    aclrtDrvMemHandle handles[2] = {};
    CHECK(aclrtReserveMemAddress(&range, 2 * granule, 0, nullptr, 0) == 0);
    auto bytes = static_cast<unsigned char*>(range);
    for (int i = 0; i < 2; ++i) {
        CHECK(aclrtMallocPhysical(&handles[i], granule, &property, 0) == 0);
        CHECK(aclrtMapMem(bytes + i * granule, granule, 0, handles[i], 0) == 0);
    }
    DeviceBlock target(8192);
    for (std::size_t before : {1u, 4096u}) {
        Bytes source = pattern(8192, static_cast<unsigned>(before));
        CHECK(aclrtMemcpy(bytes + granule - before, 8192, source.data(), 8192, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
        CHECK(aclrtMemcpyAsync(target.at, 8192, bytes + granule - before, 8192, ACL_MEMCPY_DEVICE_TO_DEVICE,
                               stream.handle) == 0);
        CHECK(aclrtSynchronizeStream(stream.handle) == 0 && target.read() == source);
    }
    for (int i = 0; i < 2; ++i) {
        CHECK(aclrtUnmapMem(bytes + i * granule) == 0);
        CHECK(aclrtFreePhysical(handles[i]) == 0);
    }
    CHECK(aclrtReleaseMemAddress(range) == 0);
}

void test_linear_refusals() {
    Session session("product=910b;form=EP;cann=9.0");
    DeviceBlock block(64);
    Bytes host(64, 1);
    block.write(host);
    CHECK(aclrtMemcpy(nullptr, 0, nullptr, 0, ACL_MEMCPY_DEFAULT) == 0);
    CHECK(aclrtMemcpy(nullptr, 64, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMemcpy(block.at, 64, nullptr, 64, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMemcpy(block.at, 63, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtMemcpy(block.at, 0, host.data(), 1, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID);
    for (int kind : {6, 7, 8, 100, -1})
        CHECK(aclrtMemcpy(block.at, 64, host.data(), 64, static_cast<aclrtMemcpyKind>(kind)) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMemcpy(block.at, 64, block.at, 64, ACL_MEMCPY_DEFAULT) == 0);
    // The direction comes from the addresses, whatever plain kind is given.
    for (int kind = 0; kind <= 5; ++kind) {
        CHECK(aclrtMemcpy(block.at, 64, host.data(), 64, static_cast<aclrtMemcpyKind>(kind)) == 0);
        CHECK(aclrtMemcpy(host.data(), 64, block.at, 64, static_cast<aclrtMemcpyKind>(kind)) == 0);
    }
    void* reserved = nullptr;
    CHECK(aclrtReserveMemAddress(&reserved, 2 << 20, 0, nullptr, 0) == 0);
    CHECK(aclrtMemcpy(reserved, 64, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE) != 0);
    CHECK(aclrtReleaseMemAddress(reserved) == 0);
    CHECK(aclrtMemcpy(block.at, 64, reinterpret_cast<void*>(16), 64, ACL_MEMCPY_HOST_TO_DEVICE) != 0);
    std::thread([&] {
        CHECK(aclrtMemcpy(host.data(), 32, host.data() + 32, 32, ACL_MEMCPY_HOST_TO_HOST) == ACL_ERROR_RT_CONTEXT_NULL);
    }).join();
    CHECK(block.read() == host);
}

void test_async() {
    Session session("product=910b;form=EP;cann=9.0");
    OwnStream stream;
    DeviceBlock device(4096);
    DeviceBlock other(4096);
    PinnedBlock pinned(4096);
    PinnedBlock result(4096);
    Bytes source = pattern(4096, 2);
    pinned.write(source);
    CHECK(aclrtMemset(device.at, 4096, 0, 4096) == 0);
    {
        Hold hold(stream.handle);
        CHECK(aclrtMemcpyAsync(device.at, 4096, pinned.at, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream.handle) == 0);
        CHECK(aclrtMemcpyAsync(other.at, 4096, device.at, 4096, ACL_MEMCPY_DEFAULT, stream.handle) == 0);
        CHECK(aclrtMemcpyAsync(result.at, 4096, other.at, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream.handle) == 0);
        aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
        CHECK(aclrtStreamQuery(stream.handle, &status) == 0 && status == ACL_STREAM_STATUS_NOT_READY);
        CHECK(device.read() == Bytes(4096, 0));
        // Synchronous calls go on while the stream is held.
        CHECK(aclrtMemset(other.at, 4096, 7, 4096) == 0);
        hold.release();
        CHECK(aclrtSynchronizeStream(stream.handle) == 0);
    }
    CHECK(result.read() == source);
    // Pageable memory: done at return, behind the stream's earlier work.
    Bytes pageable = pattern(4096, 3);
    CHECK(aclrtMemcpyAsync(device.at, 4096, pageable.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream.handle) == 0);
    std::fill(pageable.begin(), pageable.end(), 0);
    CHECK(device.read() == pattern(4096, 3));
    // The buffered kind takes the source at the call.
    pinned.write(pattern(4096, 4));
    {
        Hold hold(stream.handle);
        CHECK(aclrtMemcpyAsync(device.at, 4096, pinned.at, 4096, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream.handle) == 0);
        pinned.write(Bytes(4096, 0));
        hold.release();
        CHECK(aclrtSynchronizeStream(stream.handle) == 0);
    }
    CHECK(device.read() == pattern(4096, 4));
}

void test_async_pageable() {
    Session session("product=910b;form=EP;cann=9.0");
    OwnStream stream;
    OwnStream other;
    DeviceBlock device(4096);
    // Odd addresses and counts, while another stream is held: only the own stream is waited for.
    Hold hold(other.handle);
    for (std::size_t count : {1u, 65u, 1001u}) {
        Bytes source = pattern(count + 1, 20);
        Bytes back(count);
        CHECK(aclrtMemcpyAsync(device + 3, 4093, source.data() + 1, count, ACL_MEMCPY_HOST_TO_DEVICE, stream.handle) == 0);
        CHECK(aclrtMemcpyAsyncWithCondition(back.data(), count, device + 3, count, ACL_MEMCPY_DEVICE_TO_HOST,
                                            stream.handle) == 0);
        CHECK(std::equal(back.begin(), back.end(), source.begin() + 1));
    }
    hold.release();
    CHECK(aclrtSynchronizeStream(other.handle) == 0);
}

/// What is queued runs later and in order, and the call comes back at once.
void test_queued_calls() {
    Session session("product=910b;form=EP;cann=9.0");
    OwnStream stream;
    DeviceBlock device(64);
    DeviceBlock second(64);
    DeviceBlock slots(16);
    PinnedBlock pinned(64);
    Bytes untouched(64, 0xEE);
    void* addresses[2] = {second.at, device.at};
    CHECK(aclrtMemcpy(slots.at, 16, addresses, 16, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    device.write(untouched), second.write(untouched), pinned.write(pattern(64, 14));
    void* to = device.at;
    void* from = pinned.at;
    std::size_t room = 64, start = 0, failing = 0;
    aclrtMemcpyBatchAttr h2d{};
    h2d.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    h2d.srcLoc = {0, ACL_MEM_LOCATION_TYPE_HOST};
    Hold hold(stream.handle);
    CHECK(aclrtMemsetAsync(device.at, 64, 1, 64, stream.handle) == 0);
    CHECK(aclrtMemcpy2dAsync(device.at, 8, pinned.at, 8, 8, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream.handle) == 0);
    CHECK(aclrtMemcpyBatchAsync(&to, &room, &from, &room, 1, &h2d, &start, 1, &failing, stream.handle) == 0);
    CHECK(aclrtMemcpyAsyncWithOffset(static_cast<void**>(slots.at), 64, 0, reinterpret_cast<const void**>(slots + 8), 64, 0,
                                     ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream.handle) == 0);
    CHECK(device.read() == untouched && second.read() == untouched);
    hold.release();
    CHECK(aclrtSynchronizeStream(stream.handle) == 0);
    CHECK(device.read() == pattern(64, 14) && second.read() == pattern(64, 14));
    CHECK(aclrtMemsetAsync(device.at, 64, 2, 64, nullptr) == 0 && aclrtSynchronizeStream(nullptr) == 0);
    CHECK(device.read() == Bytes(64, 2));
}

/// Pageable memory of the other asynchronous calls is done with at return.
void test_pageable_siblings() {
    Session session("product=910b;form=EP;cann=9.0");
    OwnStream stream;
    DeviceBlock device(64);
    for (int way = 0; way < 2; ++way) {
        Bytes source = pattern(64, 15 + way);
        std::thread opener;
        Hold hold(stream.handle);
        opener = std::thread([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            hold.release();
        });
        void* to = device.at;
        void* from = source.data();
        std::size_t room = 64, start = 0, failing = 0;
        aclrtMemcpyBatchAttr h2d{};
        h2d.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
        h2d.srcLoc = {0, ACL_MEM_LOCATION_TYPE_HOST};
        if (way == 0)
            CHECK(aclrtMemcpy2dAsync(device.at, 8, source.data(), 8, 8, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream.handle) == 0);
        else
            CHECK(aclrtMemcpyBatchAsync(&to, &room, &from, &room, 1, &h2d, &start, 1, &failing, stream.handle) == 0);
        std::fill(source.begin(), source.end(), 0);
        CHECK(device.read() == pattern(64, 15 + way));
        opener.join();
        CHECK(aclrtSynchronizeStream(stream.handle) == 0);
    }
}

void test_async_refusals() {
    Session session("product=910b;form=EP;cann=9.0");
    OwnStream stream;
    DeviceBlock device(64);
    PinnedBlock pinned(64);
    PinnedBlock second(64);
    Bytes host(64, 1);
    auto copy = [&](void* to, const void* from, int kind) {
        return aclrtMemcpyAsync(to, 64, from, 64, static_cast<aclrtMemcpyKind>(kind), stream.handle);
    };
    CHECK(copy(second.at, pinned.at, ACL_MEMCPY_HOST_TO_HOST) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(copy(second.at, pinned.at, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(copy(device.at, pinned.at, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    CHECK(copy(device.at, pinned.at, ACL_MEMCPY_DEVICE_TO_DEVICE) == 0);
    CHECK(copy(device.at, host.data(), ACL_MEMCPY_DEVICE_TO_HOST) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(copy(device.at, host.data(), ACL_MEMCPY_DEVICE_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(copy(host.data(), device.at, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(copy(pinned.at, device.at, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID);
    for (int kind : {6, 7, 8, 100}) CHECK(copy(device.at, pinned.at, kind) == ACL_ERROR_INVALID_PARAM);
    CHECK(copy(nullptr, pinned.at, 1) == ACL_ERROR_INVALID_PARAM && copy(device.at, nullptr, 1) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMemcpyAsync(nullptr, 0, nullptr, 0, ACL_MEMCPY_DEFAULT, stream.handle) == 0);
    CHECK(aclrtMemcpyAsync(device.at, 63, pinned.at, 64, ACL_MEMCPY_DEFAULT, stream.handle) == ACL_ERROR_RT_PARAM_INVALID);
    aclrtStream gone = nullptr;
    CHECK(aclrtCreateStream(&gone) == 0 && aclrtDestroyStream(gone) == 0);
    CHECK(aclrtMemcpyAsync(device.at, 64, pinned.at, 64, ACL_MEMCPY_DEFAULT, gone) == ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(aclrtMemcpyAsync(device.at, 64, pinned.at, 64, ACL_MEMCPY_DEFAULT, nullptr) == 0);
    CHECK(aclrtSynchronizeStream(nullptr) == 0);
    CHECK(aclrtSetDevice(1) == 0);
    CHECK(copy(device.at, pinned.at, ACL_MEMCPY_DEFAULT) == ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK(aclrtResetDevice(1) == 0 && aclrtSetDevice(0) == 0);
    CHECK(aclrtSynchronizeStream(stream.handle) == 0);
}

void test_shared_memory_forms() {
    for (const char* profile : {"product=310b;form=RC;cann=9.0", "product=310p;form=ccpu;cann=9.0"}) {
        Session session(profile);
        OwnStream stream;
        DeviceBlock device(64);
        PinnedBlock pinned(64);
        PinnedBlock second(64);
        pinned.write(pattern(64, 5));
        CHECK(aclrtMemcpyAsync(second.at, 64, pinned.at, 64, ACL_MEMCPY_HOST_TO_HOST, stream.handle) == 0);
        CHECK(aclrtMemcpyAsync(device.at, 64, second.at, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream.handle) == 0);
        CHECK(aclrtSynchronizeStream(stream.handle) == 0);
        CHECK(device.read() == pattern(64, 5));
        CHECK(aclrtMemcpy2d(device.at, 8, pinned.at, 8, 8, 8, ACL_MEMCPY_HOST_TO_DEVICE) != 0);
        CHECK(aclrtMemcpy2dAsync(device.at, 8, pinned.at, 8, 8, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream.handle) != 0);
    }
}

void check_plane(const Bytes& plane, const Bytes& source, std::size_t to_pitch, std::size_t from_pitch, std::size_t width,
                 std::size_t height) {
    for (std::size_t at = 0; at < plane.size(); ++at) {
        std::size_t row = at / to_pitch;
        std::size_t column = at % to_pitch;
        unsigned char expected = row < height && column < width ? source[row * from_pitch + column] : 0xEE;
        CHECK(plane[at] == expected);
    }
}

void test_rows() {
    Session session("product=910b;form=EP;cann=9.0");
    OwnStream stream;
    struct {
        std::size_t to_pitch, from_pitch, width, height;
    } shapes[] = {{256, 128, 100, 50}, {128, 256, 100, 50}, {32, 16, 10, 7}, {4096, 4096, 4096, 3}, {80, 80, 77, 1}};
    for (auto [to_pitch, from_pitch, width, height] : shapes) {
        Bytes source = pattern(from_pitch * height, 6);
        DeviceBlock device(to_pitch * height + 64);
        DeviceBlock moved(to_pitch * height + 64);
        PinnedBlock pinned(from_pitch * height);
        pinned.write(source);
        for (int way = 0; way < 4; ++way) {
            CHECK(aclrtMemset(device.at, device.size, 0xEE, device.size) == 0);
            const void* from = way % 2 ? pinned.at : static_cast<const void*>(source.data());
            if (way < 2) {
                CHECK(aclrtMemcpy2d(device.at, to_pitch, from, from_pitch, width, height, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
            } else {
                CHECK(aclrtMemcpy2dAsync(device.at, to_pitch, from, from_pitch, width, height, ACL_MEMCPY_HOST_TO_DEVICE,
                                         stream.handle) == 0);
                CHECK(aclrtSynchronizeStream(stream.handle) == 0);
            }
            check_plane(device.read(), source, to_pitch, from_pitch, width, height);
        }
        CHECK(aclrtMemset(moved.at, moved.size, 0xEE, moved.size) == 0);
        CHECK(aclrtMemcpy2dAsync(moved.at, to_pitch, device.at, to_pitch, width, height, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                 stream.handle) == 0);
        CHECK(aclrtSynchronizeStream(stream.handle) == 0);
        check_plane(moved.read(), source, to_pitch, from_pitch, width, height);
    }
}

/// The destination needs no gap behind its last row: here the next page cannot be touched.
void test_rows_without_last_gap() {
    Session session("product=910b;form=EP;cann=9.0");
    constexpr std::size_t page = 4096;
    constexpr std::size_t needed = 64 * 6 + 10;
    void* pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED && mprotect(static_cast<char*>(pages) + page, page, PROT_NONE) == 0);
    unsigned char* plane = static_cast<unsigned char*>(pages) + page - needed;
    std::memset(plane, 0xEE, needed);
    Bytes source = pattern(64 * 7, 16);
    DeviceBlock device(source.size());
    device.write(source);
    CHECK(aclrtMemcpy2d(plane, 64, device.at, 64, 10, 7, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    check_plane(Bytes(plane, plane + needed), source, 64, 64, 10, 7);
    CHECK(munmap(pages, 2 * page) == 0);
}

void test_rows_refusals() {
    Session session("product=910b;form=EP;cann=9.0");
    OwnStream stream;
    DeviceBlock device(5242881);
    Bytes host(5242881, 1);
    PinnedBlock pinned(64);
    auto now = [&](std::size_t to_pitch, std::size_t from_pitch, std::size_t width, std::size_t height, int kind) {
        return aclrtMemcpy2d(device.at, to_pitch, host.data(), from_pitch, width, height, static_cast<aclrtMemcpyKind>(kind));
    };
    CHECK(now(1, 1, 1, 5242881, 1) == ACL_ERROR_RT_PARAM_INVALID && now(1, 1, 1, 5242880, 1) == 0);
    CHECK(now(5000001, 5000001, 5000001, 1, 1) == ACL_ERROR_RT_PARAM_INVALID && now(5000000, 5000000, 5000000, 1, 1) == 0);
    CHECK(now(64, 128, 65, 2, 1) == ACL_ERROR_INVALID_PARAM && now(128, 64, 65, 2, 1) == ACL_ERROR_INVALID_PARAM);
    CHECK(now(0, 8, 8, 1, 1) == ACL_ERROR_INVALID_PARAM);
    CHECK(now(8, 8, 8, 1, 0) == ACL_ERROR_INVALID_PARAM && now(8, 8, 8, 1, 3) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(now(8, 8, 8, 1, 2) == ACL_ERROR_RT_PARAM_INVALID && now(8, 8, 8, 0, 77) == 0);
    CHECK(aclrtMemcpy2d(nullptr, 0, nullptr, 0, 0, 5, ACL_MEMCPY_DEFAULT) == 0);
    CHECK(aclrtMemcpy2d(device.at, 8, pinned.at, 8, 8, 8, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    CHECK(aclrtMemcpy2d(device.at, 8, device + 64, 8, 8, 8, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtMemcpy2dAsync(device.at, 8, pinned.at, 8, 8, 8, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream.handle) ==
          ACL_ERROR_INVALID_PARAM);
    // A gap that does not fit the address space is no reason to wrap.
    CHECK(now(SIZE_MAX / 2, 8, 8, 4, 1) != 0);
}

void test_rows_on_other_products() {
    Session session("product=310p;form=EP;cann=9.0");
    OwnStream stream;
    DeviceBlock device(128);
    CHECK(aclrtMemcpy2dAsync(device.at, 8, device + 64, 8, 8, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream.handle) ==
          ACL_ERROR_INVALID_PARAM);
}

void test_batch() {
    Session session("product=910b;form=EP;cann=9.0");
    OwnStream stream;
    constexpr std::size_t count = 10;
    constexpr std::size_t size = 100;
    DeviceBlock device(count * size);
    PinnedBlock pinned(count * size);
    std::vector<void*> to(count), from(count);
    std::vector<std::size_t> rooms(count, size), sizes(count, size), starts{0};
    for (std::size_t i = 0; i < count; ++i) to[i] = device + i * size, from[i] = pinned.data() + i * size;
    aclrtMemcpyBatchAttr h2d{};
    h2d.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    h2d.srcLoc = {0, ACL_MEM_LOCATION_TYPE_HOST};
    std::vector<aclrtMemcpyBatchAttr> attributes{h2d};
    std::size_t failing = 7;
    auto now = [&] {
        failing = 7;
        return aclrtMemcpyBatch(to.data(), rooms.data(), from.data(), sizes.data(), to.size(), attributes.data(),
                                starts.data(), starts.size(), &failing);
    };
    auto queued = [&] {
        failing = 7;
        return aclrtMemcpyBatchAsync(to.data(), rooms.data(), from.data(), sizes.data(), to.size(), attributes.data(),
                                     starts.data(), starts.size(), &failing, stream.handle);
    };
    pinned.write(pattern(count * size, 8));
    CHECK(now() == 0 && failing == SIZE_MAX && device.read() == pattern(count * size, 8));
    pinned.write(pattern(count * size, 9));
    CHECK(queued() == 0 && failing == SIZE_MAX && aclrtSynchronizeStream(stream.handle) == 0);
    CHECK(device.read() == pattern(count * size, 9));
    starts = {0, 6};
    attributes = {h2d, h2d};
    CHECK(now() == 0 && failing == SIZE_MAX);
    starts = {1};
    CHECK(now() == ACL_ERROR_RT_PARAM_INVALID && failing == SIZE_MAX);
    starts = {0, 0};
    CHECK(now() == ACL_ERROR_RT_PARAM_INVALID && failing == SIZE_MAX);
    starts = {0, 10};
    CHECK(queued() == ACL_ERROR_RT_PARAM_INVALID && failing == SIZE_MAX);
    starts = {0, 5, 6};
    attributes = {h2d, h2d, h2d};
    attributes[1].dstLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
    CHECK(now() == ACL_ERROR_RT_PARAM_INVALID && failing == 5);
    attributes[1] = h2d;
    attributes[1].dstLoc.id = 1;
    CHECK(queued() == ACL_ERROR_RT_PARAM_INVALID && failing == 5);
    attributes[1] = h2d;
    attributes[2].rsv[15] = 1;
    CHECK(now() == ACL_ERROR_INVALID_PARAM);
    starts = {0};
    attributes = {h2d};
    rooms[1] = size - 1;
    CHECK(now() == ACL_ERROR_INVALID_PARAM && failing == SIZE_MAX);
    rooms[1] = size;
    aclrtMemcpyBatchAttr d2h = h2d;
    std::swap(d2h.dstLoc, d2h.srcLoc);
    starts = {0, 4};
    attributes = {h2d, d2h};
    std::swap(to, from);
    std::swap_ranges(to.begin(), to.begin() + 4, from.begin());
    CHECK(now() == ACL_ERROR_RT_PARAM_INVALID && failing == 4);
    std::swap_ranges(to.begin(), to.begin() + 4, from.begin());
    std::swap(to, from);
    starts = {0};
    attributes = {h2d};
    attributes[0].srcLoc = h2d.dstLoc;
    std::swap(from[0], to[1]);
    CHECK(now() == ACL_ERROR_RT_PARAM_INVALID && failing == 0);
    std::swap(from[0], to[1]);
    attributes = {h2d};
    to[2] = nullptr;
    CHECK(queued() == ACL_ERROR_RT_PARAM_INVALID && failing == 2);
    to[2] = device + 2 * size;
    Bytes none(0);
    std::vector<std::size_t> zeros(2, 0);
    CHECK(aclrtMemcpyBatchV2(nullptr, zeros.data(), nullptr, zeros.data(), 2, nullptr, nullptr, 0) == 0);
    CHECK(aclrtMemcpyBatch(to.data(), rooms.data(), from.data(), sizes.data(), count, attributes.data(), starts.data(), 1,
                           nullptr) == ACL_ERROR_INVALID_PARAM);
    // 4096 pieces are the most of the synchronous call.
    Bytes many = pattern(4097, 10);
    DeviceBlock target(4097);
    to.assign(4096, nullptr), from.assign(4096, nullptr);
    for (std::size_t i = 0; i < 4096; ++i) to[i] = target + i, from[i] = many.data() + i;
    rooms.assign(4096, 1), sizes.assign(4096, 1);
    CHECK(now() == 0 && std::memcmp(target.read().data(), many.data(), 4096) == 0);
    to.push_back(target + 4096), from.push_back(many.data() + 4096), rooms.push_back(1), sizes.push_back(1);
    CHECK(now() == ACL_ERROR_RT_PARAM_INVALID && failing == SIZE_MAX);
    CHECK(queued() == 0 && target.read() == many);
}

void test_descriptors() {
    Session session("product=910b;form=EP;cann=9.0");
    OwnStream stream;
    constexpr aclrtMemcpyKind inner = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
    std::size_t size = 0;
    CHECK(aclrtGetMemcpyDescSize(inner, &size) == 0 && size > 0);
    CHECK(aclrtGetMemcpyDescSize(ACL_MEMCPY_DEVICE_TO_DEVICE, &size) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    DeviceBlock descriptor(size + 64);
    DeviceBlock first(8192);
    DeviceBlock second(8192);
    PinnedBlock pinned(size);
    first.write(pattern(8192, 11));
    second.write(Bytes(8192, 0xEE));
    CHECK(aclrtSetMemcpyDesc(descriptor.at, inner, first.at, second.at, 4096, nullptr) == 0);
    CHECK(aclrtMemcpyAsyncWithDesc(descriptor.at, inner, stream.handle) == 0);
    CHECK(aclrtSynchronizeStream(stream.handle) == 0);
    Bytes back = second.read();
    CHECK(std::memcmp(back.data(), pattern(8192, 11).data(), 4096) == 0 && back[4096] == 0xEE);
    std::size_t again = 0;
    CHECK(aclrtGetMemcpyDescSize(inner, &again) == 0 && again == size);
    first.write(pattern(8192, 17));
    CHECK(aclrtMemcpyAsyncWithDesc(descriptor.at, inner, stream.handle) == 0);
    CHECK(aclrtSynchronizeStream(stream.handle) == 0);
    CHECK(std::memcmp(second.read().data(), pattern(8192, 17).data(), 4096) == 0);
    CHECK(aclrtSetMemcpyDesc(descriptor.at, inner, second.at, first + 4096, 64, nullptr) == 0);
    CHECK(aclrtMemcpyAsyncWithDesc(descriptor.at, inner, stream.handle) == 0);
    CHECK(aclrtSynchronizeStream(stream.handle) == 0);
    CHECK(std::memcmp(&first.read()[4096], pattern(8192, 17).data(), 64) == 0);
    first.write(pattern(8192, 11));
    CHECK(aclrtSetMemcpyDesc(descriptor + 8, inner, first.at, second.at, 64, nullptr) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtSetMemcpyDesc(pinned.at, inner, first.at, second.at, 64, nullptr) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtSetMemcpyDesc(descriptor.at, inner, pinned.at, second.at, 64, nullptr) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtSetMemcpyDesc(descriptor.at, inner, first.at, second.at, 0, nullptr) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtSetMemcpyDesc(descriptor.at, inner, first.at, second.at, (std::size_t{4} << 30) + 1, nullptr) ==
          ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtSetMemcpyDesc(descriptor.at, inner, first.at, second.at, 64, &size) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMemcpyAsyncWithDesc(descriptor.at, inner, nullptr) == ACL_ERROR_INVALID_PARAM);
    // A descriptor that was never set is refused when the stream comes to it.
    CHECK(aclrtMemset(descriptor.at, size, 0, size) == 0);
    CHECK(aclrtMemcpyAsyncWithDesc(descriptor.at, inner, stream.handle) == 0);
    CHECK(aclrtSynchronizeStream(stream.handle) != 0 && aclrtSynchronizeStream(stream.handle) == 0);

    DeviceBlock slots(16);
    void* addresses[2] = {second.at, first.at};
    CHECK(aclrtMemcpy(slots.at, 16, addresses, 16, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    auto to = static_cast<void**>(slots.at);
    auto from = reinterpret_cast<const void**>(slots + 8);
    second.write(Bytes(8192, 0xEE));
    CHECK(aclrtMemcpyAsyncWithOffset(to, 8192, 64, from, 256, 128, inner, stream.handle) == 0);
    CHECK(aclrtSynchronizeStream(stream.handle) == 0);
    back = second.read();
    CHECK(back[63] == 0xEE && back[320] == 0xEE && std::memcmp(&back[64], &pattern(8192, 11)[128], 256) == 0);
    CHECK(aclrtMemcpyAsyncWithOffset(to, 256, 256, from, 1, 0, inner, stream.handle) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtMemcpyAsyncWithOffset(to, 256, 128, from, 129, 0, inner, stream.handle) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtMemcpyAsyncWithOffset(to, 256, 0, from, 1, std::size_t{1} << 48, inner, stream.handle) ==
          ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtMemcpyAsyncWithOffset(nullptr, 0, 0, nullptr, 0, 0, inner, stream.handle) == 0);
}

void test_fills() {
    Session session("product=910b;form=EP;cann=9.0");
    OwnStream stream;
    DeviceBlock device(128);
    PinnedBlock pinned(128);
    for (std::size_t count : {1u, 31u, 33u, 64u}) {
        CHECK(aclrtMemset(device.at, 128, 0xEE, 128) == 0);
        CHECK(aclrtMemset(device + 13, 115, 0x7F, count) == 0);
        Bytes expected(128, 0xEE);
        std::fill_n(expected.begin() + 13, count, 0x7F);
        CHECK(device.read() == expected);
        CHECK(aclrtMemsetAsync(device + 13, 115, 0x11, count, stream.handle) == 0);
        CHECK(aclrtSynchronizeStream(stream.handle) == 0);
        std::fill_n(expected.begin() + 13, count, 0x11);
        CHECK(device.read() == expected);
    }
    CHECK(aclrtMemset(pinned.at, 128, 0x55, 128) == 0 && pinned.read() == Bytes(128, 0x55));
    CHECK(aclrtMemset(nullptr, 0, 1, 0) == 0 && aclrtMemset(nullptr, 64, 0, 64) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMemset(device.at, 63, 0, 64) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtMemsetAsync(device.at, 63, 0, 64, stream.handle) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtMemsetD32(device.at, 128, 0x01020304, 32) == 0);
    std::uint32_t word = 0;
    CHECK(aclrtMemcpy(&word, 4, device + 124, 4, ACL_MEMCPY_DEVICE_TO_HOST) == 0 && word == 0x01020304);
    CHECK(aclrtMemsetD32(device.at, 39, 1, 10) == ACL_ERROR_INVALID_PARAM && aclrtMemsetD32(device.at, 40, 1, 10) == 0);
    CHECK(aclrtMemsetD32(device.at, 64, 1, std::size_t{1} << 62) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMemsetD32(device + 1, 64, 1, 1) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMemsetD32(&word, 4, 1, 1) == ACL_ERROR_INVALID_PARAM && aclrtMemsetD32(nullptr, 0, 1, 0) == 0);
    Hold hold(stream.handle);
    CHECK(aclrtMemsetD32Async(pinned.at, 128, 0xDEADBEEF, 32, stream.handle) == 0);
    std::memcpy(&word, pinned.data() + 124, 4);
    CHECK(word == 0xDEADBEEF);
    hold.release();
    CHECK(aclrtSynchronizeStream(stream.handle) == 0);
}

void test_peers() {
    Session session("product=910b;form=EP;cann=9.0;devices=2");
    DeviceBlock first(64);
    first.write(pattern(64, 12));
    CHECK(aclrtSetDevice(1) == 0);
    {
        DeviceBlock second(64);
        int32_t status = 7;
        CHECK(aclrtMemcpy(second.at, 64, first.at, 64, ACL_MEMCPY_DEVICE_TO_DEVICE) != 0);
        CHECK(aclrtDeviceCanAccessPeer(&status, 1, 0) == 0 && status == 1);
        CHECK(aclrtDeviceCanAccessPeer(&status, 0, 0) == ACL_ERROR_INVALID_PARAM);
        CHECK(aclrtDeviceEnablePeerAccess(0, 1) == ACL_ERROR_FEATURE_UNSUPPORTED);
        CHECK(aclrtDeviceEnablePeerAccess(1, 0) == ACL_ERROR_INVALID_PARAM);
        CHECK(aclrtDeviceEnablePeerAccess(0, 0) == 0);
        CHECK(aclrtDevicePeerAccessStatus(1, 0, &status) == 0 && status == 1);
        CHECK(aclrtDevicePeerAccessStatus(0, 1, &status) == 0 && status == 0);
        CHECK(aclrtDevicePeerAccessStatus(0, 2, &status) == ACL_ERROR_RT_PARAM_INVALID);
        CHECK(aclrtMemcpy(second.at, 64, first.at, 64, ACL_MEMCPY_DEVICE_TO_DEVICE) == 0);
        CHECK(second.read() == pattern(64, 12));
        CHECK(aclrtDeviceDisablePeerAccess(0) == 0);
        CHECK(aclrtMemcpy(second.at, 64, first.at, 64, ACL_MEMCPY_DEVICE_TO_DEVICE) != 0);
    }
    CHECK(aclrtResetDevice(1) == 0 && aclrtSetDevice(0) == 0);
}

void* allocate(aclrtAllocator, size_t) { return nullptr; }
void* allocate_at(aclrtAllocator, size_t, aclrtAllocatorAddr) { return nullptr; }
void release(aclrtAllocator, aclrtAllocatorBlock) {}
void* address_of(aclrtAllocatorBlock) { return nullptr; }

aclrtAllocatorDesc descriptor_with(void* object) {
    aclrtAllocatorDesc descriptor = aclrtAllocatorCreateDesc();
    CHECK(descriptor != nullptr);
    CHECK(aclrtAllocatorSetObjToDesc(descriptor, object) == 0);
    CHECK(aclrtAllocatorSetAllocFuncToDesc(descriptor, allocate) == 0);
    CHECK(aclrtAllocatorSetFreeFuncToDesc(descriptor, release) == 0);
    CHECK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(descriptor, address_of) == 0);
    return descriptor;
}

void test_allocators() {
    Session session("product=910b;form=EP;cann=9.0");
    OwnStream stream;
    OwnStream other;
    int objects[2];
    aclrtAllocatorDesc first = descriptor_with(&objects[0]);
    aclrtAllocatorDesc second = descriptor_with(&objects[1]);
    CHECK(aclrtAllocatorSetAllocAdviseFuncToDesc(second, allocate_at) == 0);
    CHECK(aclrtAllocatorRegister(nullptr, first) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtAllocatorRegister(stream.handle, nullptr) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtAllocatorRegister(stream.handle, first) == 0 && aclrtAllocatorRegister(other.handle, first) == 0);
    CHECK(aclrtAllocatorRegister(stream.handle, second) == 0);
    aclrtAllocator kept = nullptr;
    aclrtAllocatorDesc kept_descriptor = nullptr;
    CHECK(aclrtAllocatorGetByStream(other.handle, &kept_descriptor, &kept, nullptr, nullptr, nullptr, nullptr) == 0);
    CHECK(kept_descriptor == first && kept == &objects[0]);
    CHECK(aclrtAllocatorDestroyDesc(second) == 0 && aclrtAllocatorDestroyDesc(nullptr) == ACL_ERROR_INVALID_PARAM);
    aclrtAllocatorDesc descriptor = nullptr;
    aclrtAllocator object = nullptr;
    aclrtAllocatorAllocFunc got_allocate = nullptr;
    aclrtAllocatorFreeFunc got_release = nullptr;
    aclrtAllocatorAllocAdviseFunc got_allocate_at = nullptr;
    aclrtAllocatorGetAddrFromBlockFunc got_address = nullptr;
    CHECK(aclrtAllocatorGetByStream(stream.handle, &descriptor, &object, &got_allocate, &got_release, &got_allocate_at,
                                    &got_address) == 0);
    CHECK(descriptor == second && object == &objects[1] && got_allocate == allocate && got_release == release &&
          got_allocate_at == allocate_at && got_address == address_of);
    CHECK(aclrtAllocatorSetObjToDesc(first, &objects[1]) == 0 && aclrtAllocatorSetObjToDesc(first, nullptr) != 0);
    CHECK(aclrtAllocatorGetByStream(other.handle, &descriptor, &object, nullptr, nullptr, nullptr, nullptr) == 0);
    CHECK(descriptor == first && object == &objects[0]);
    aclrtStream gone = nullptr;
    CHECK(aclrtCreateStream(&gone) == 0 && aclrtAllocatorRegister(gone, first) == 0);
    CHECK(aclrtDestroyStream(gone) == 0 && aclrtAllocatorUnregister(gone) == 0);
    aclrtAllocatorDesc bare = aclrtAllocatorCreateDesc();
    CHECK(aclrtAllocatorSetAllocFuncToDesc(bare, allocate) == 0 && aclrtAllocatorSetFreeFuncToDesc(bare, release) == 0);
    CHECK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(bare, address_of) == 0);
    CHECK(aclrtAllocatorRegister(stream.handle, bare) == ACL_ERROR_INVALID_PARAM && aclrtAllocatorDestroyDesc(bare) == 0);
    CHECK(aclrtAllocatorUnregister(stream.handle) == 0 && aclrtAllocatorUnregister(stream.handle) == 0);
    CHECK(aclrtAllocatorGetByStream(stream.handle, &descriptor, nullptr, nullptr, nullptr, nullptr, nullptr) ==
          ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtAllocatorGetByStream(other.handle, &descriptor, nullptr, nullptr, nullptr, nullptr, nullptr) == 0);
    CHECK(aclrtAllocatorUnregister(other.handle) == 0 && aclrtAllocatorDestroyDesc(first) == 0);
}

/// Many threads on streams of their own; meant for the thread sanitizer.
void test_threads() {
    Session session("product=910b;form=EP;cann=9.0;seed=3");
    std::vector<std::thread> threads;
    for (unsigned id = 0; id < 4; ++id)
        threads.emplace_back([id] {
            CHECK(aclrtSetDevice(0) == 0);
            {
                OwnStream stream;
                DeviceBlock first(8192);
                DeviceBlock second(8192);
                PinnedBlock pinned(8192);
                for (unsigned round = 0; round < 50; ++round) {
                    Bytes source = pattern(8192, id * 100 + round);
                    pinned.write(source);
                    CHECK(aclrtMemcpyAsync(first.at, 8192, pinned.at, 8192, ACL_MEMCPY_DEFAULT, stream.handle) == 0);
                    CHECK(aclrtMemcpyAsync(second.at, 8192, first.at, 8192, ACL_MEMCPY_DEFAULT, stream.handle) == 0);
                    Bytes back(8192);
                    CHECK(aclrtMemcpyAsync(back.data(), 8192, second.at, 8192, ACL_MEMCPY_DEFAULT, stream.handle) == 0);
                    CHECK(back == source);
                    CHECK(aclrtMemcpy(first.at, 8192, back.data(), 4096, ACL_MEMCPY_DEFAULT) == 0);
                }
            }
            CHECK(aclrtResetDevice(0) == 0);
        });
    for (auto& thread : threads) thread.join();
}

}  // namespace

int main() {
    test_linear();
    test_linear_between_hosts();
    test_mapping_border();
    test_linear_refusals();
    test_async();
    test_async_pageable();
    test_queued_calls();
    test_pageable_siblings();
    test_async_refusals();
    test_shared_memory_forms();
    test_rows();
    test_rows_without_last_gap();
    test_rows_refusals();
    test_rows_on_other_products();
    test_batch();
    test_descriptors();
    test_fills();
    test_peers();
    test_allocators();
    test_threads();
    return checks::result();
}
