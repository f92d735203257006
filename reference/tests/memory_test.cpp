// Memory through the public interface, on several profiles and between two real processes.
//
// Run without arguments it is the whole test; the arguments are those of the importing process it starts.
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_mdl.h"
#include "acl/acl_rt_memory_soma.h"
#include "aclref_control.h"
#include "checks.hpp"

extern char** environ;

namespace {

constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = 1024 * KiB;
constexpr std::size_t GiB = 1024 * MiB;
constexpr std::size_t TiB = 1024 * GiB;
constexpr std::size_t piece = 2 * MiB;

using Bytes = std::vector<unsigned char>;

Bytes pattern(std::size_t size, unsigned seed) {
    Bytes bytes(size);
    for (std::size_t at = 0; at < size; ++at) bytes[at] = static_cast<unsigned char>(at * 131 + at / 251 + seed * 17);
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
        aclrefSetFault("");
        CHECK(aclrefReset() == 0);
    }
};

char* at(void* base, std::size_t offset) { return static_cast<char*>(base) + offset; }

aclError put(void* device, const Bytes& bytes) {
    return aclrtMemcpy(device, bytes.size(), bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE);
}

Bytes get(const void* device, std::size_t size) {
    Bytes bytes(size);
    CHECK(aclrtMemcpy(bytes.data(), size, device, size, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    return bytes;
}

std::size_t free_bytes(aclrtMemAttr attribute) {
    std::size_t free = 0;
    std::size_t total = 0;
    CHECK(aclrtGetMemInfo(attribute, &free, &total) == 0);
    CHECK(free <= total);
    return free;
}

aclrtPhysicalMemProp device_property(aclrtMemAttr attribute = ACL_HBM_MEM_HUGE, unsigned device = 0) {
    aclrtPhysicalMemProp property{};
    property.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    property.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    property.memAttr = attribute;
    property.location = {device, ACL_MEM_LOCATION_TYPE_DEVICE};
    return property;
}

aclrtDrvMemHandle physical(std::size_t size = piece, aclrtPhysicalMemProp property = device_property()) {
    aclrtDrvMemHandle handle = nullptr;
    CHECK(aclrtMallocPhysical(&handle, size, &property, 0) == 0);
    return handle;
}

void* reserved(std::size_t size) {
    void* start = nullptr;
    CHECK(aclrtReserveMemAddress(&start, size, 0, nullptr, 0) == 0);
    return start;
}

long live(const char* name) {
    char text[2048];
    CHECK(aclrefLiveObjects(text, sizeof(text)) < static_cast<int>(sizeof(text)));
    const std::string wanted = std::string("\"") + name + "\":";
    const char* found = std::strstr(text, wanted.c_str());
    CHECK(found != nullptr);
    return found ? std::atol(found + wanted.size()) : -1;
}

// Device memory

void test_sizes_and_alignment() {
    Session session("product=910b;memory=1GiB");
    std::vector<std::pair<char*, std::size_t>> blocks;
    for (std::size_t size : {1UL, 31UL, 32UL, 33UL, 64UL, 4096UL, 5000UL, MiB, 2 * MiB, 2 * MiB + 1}) {
        for (auto policy : {ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY,
                            ACL_MEM_TYPE_LOW_BAND_WIDTH, static_cast<aclrtMemMallocPolicy>(50)}) {
            void* block = nullptr;
            CHECK(aclrtMalloc(&block, size, policy) == 0);
            CHECK(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
            const std::size_t usable = (size + 31) / 32 * 32 + 32;
            CHECK(aclrtMemset(block, usable, 0x5A, usable) == 0);
            CHECK(get(block, usable) == Bytes(usable, 0x5A));
            CHECK(aclrtMemset(block, usable + 1, 0, usable + 1) != 0);
            blocks.emplace_back(static_cast<char*>(block), usable);
        }
    }
    std::sort(blocks.begin(), blocks.end());
    for (std::size_t index = 1; index < blocks.size(); ++index)
        CHECK(blocks[index - 1].first + blocks[index - 1].second <= blocks[index].first);
    for (auto [block, size] : blocks) CHECK(aclrtFree(block) == 0);
    for (auto [block, size] : blocks) CHECK(aclrtFree(block) == ACL_ERROR_RT_PARAM_INVALID);
}

void test_refused_allocations() {
    Session session("product=910b;memory=1GiB");
    void* block = at(nullptr, 77);
    CHECK(aclrtMalloc(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMalloc(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMalloc(&block, SIZE_MAX - 62, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMallocAlign32(&block, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMalloc(&block, 1024 * TiB, ACL_MEM_MALLOC_NORMAL_ONLY) == ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK(block == at(nullptr, 77));
    CHECK(aclrtFree(nullptr) == ACL_ERROR_INVALID_PARAM);
    int on_stack = 0;
    CHECK(aclrtFree(&on_stack) != 0);
    CHECK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHECK(aclrtFree(at(block, 64)) != 0);
    CHECK(put(block, pattern(4096, 1)) == 0);
    CHECK(aclrtFree(block) == 0);
    // Freed memory has no bytes for copies, and is not taken for host memory either.
    unsigned char byte = 0;
    CHECK(aclrtMemcpy(&byte, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST) != 0);
}

void test_memory_info() {
    Session session("product=910b;memory=1GiB");
    const std::size_t all = free_bytes(ACL_HBM_MEM);
    const std::size_t huge = free_bytes(ACL_HBM_MEM_HUGE);
    const std::size_t normal = free_bytes(ACL_HBM_MEM_NORMAL);
    CHECK(all == huge + normal);
    CHECK(free_bytes(ACL_DDR_MEM) == 0);
    void* block = nullptr;
    CHECK(aclrtMalloc(&block, 512 * KiB, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHECK(free_bytes(ACL_HBM_MEM_HUGE) == huge && free_bytes(ACL_HBM_MEM_NORMAL) < normal);
    CHECK(aclrtFree(block) == 0);
    CHECK(aclrtMalloc(&block, 2 * MiB + 64, ACL_MEM_MALLOC_HUGE_ONLY) == 0);
    CHECK(free_bytes(ACL_HBM_MEM_HUGE) == huge - 4 * MiB && free_bytes(ACL_HBM_MEM_NORMAL) == normal);
    CHECK(aclrtFree(block) == 0);
    CHECK(free_bytes(ACL_HBM_MEM) == all);

    std::vector<void*> blocks;
    while (aclrtMalloc(&block, 64 * MiB, ACL_MEM_MALLOC_HUGE_ONLY) == 0) blocks.push_back(block);
    while (aclrtMalloc(&block, piece / 2 + 1, ACL_MEM_MALLOC_HUGE_ONLY) == 0) blocks.push_back(block);
    CHECK(free_bytes(ACL_HBM_MEM_HUGE) == 0 && free_bytes(ACL_HBM_MEM_NORMAL) == normal);
    CHECK(aclrtMalloc(&block, 4 * MiB, ACL_MEM_MALLOC_HUGE_FIRST) == 0);  // from normal pages
    blocks.push_back(block);
    for (void* each : blocks) CHECK(aclrtFree(each) == 0);
    CHECK(free_bytes(ACL_HBM_MEM) == all && free_bytes(ACL_HBM_MEM_HUGE) == huge);
}

void test_memory_kinds_of_products() {
    {
        Session session("product=310p;memory=1GiB");
        std::size_t free = 0;
        std::size_t ddr = 0;
        std::size_t hbm = 0;
        CHECK(aclrtGetMemInfo(ACL_DDR_MEM, &free, &ddr) == 0 && aclrtGetMemInfo(ACL_HBM_MEM, &free, &hbm) == 0);
        CHECK(ddr == hbm && ddr > 0);
        CHECK(aclrtGetMemInfo(ACL_HBM_MEM_HUGE1G, &free, &hbm) == 0 && free == 0 && hbm == 0);
        CHECK(aclrtGetMemInfo(static_cast<aclrtMemAttr>(100), &free, &hbm) == ACL_ERROR_RT_INVALID_MEMORY_TYPE);
        void* block = nullptr;
        CHECK(aclrtMalloc(&block, GiB, ACL_MEM_MALLOC_HUGE1G_ONLY) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    }
    {
        Session session("product=950;memory=8GiB");
        void* block = nullptr;
        const std::size_t before = free_bytes(ACL_HBM_MEM_HUGE1G);
        CHECK(aclrtMalloc(&block, GiB, ACL_MEM_MALLOC_HUGE1G_ONLY) == 0);
        CHECK(free_bytes(ACL_HBM_MEM_HUGE1G) == before - GiB);
        CHECK(aclrtFree(block) == 0);
        // No padding on this product.
        CHECK(aclrtMalloc(&block, 33, ACL_MEM_MALLOC_NORMAL_ONLY) == 0);
        CHECK(aclrtMemset(block, 64, 1, 64) == 0 && aclrtMemset(block, 65, 1, 65) != 0);
        CHECK(aclrtFree(block) == 0);
        CHECK(aclrtMalloc(&block, SIZE_MAX - 62, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_RT_MEMORY_ALLOCATION);
    }
}

void test_configured_allocation() {
    Session session("product=910b;memory=1GiB");
    aclrtMallocAttribute attributes[2]{};
    aclrtMallocConfig config{attributes, 1};
    void* block = nullptr;
    attributes[0].attr = ACL_RT_MEM_ATTR_DEVICE_ID;
    attributes[0].value.deviceId = 1;
    CHECK(aclrtMallocWithCfg(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST, &config) == ACL_ERROR_RT_PARAM_INVALID);
    attributes[1].attr = ACL_RT_MEM_ATTR_DEVICE_ID;
    config.numAttrs = 2;
    CHECK(aclrtMallocWithCfg(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST, &config) == 0);
    CHECK(aclrtFree(block) == 0);
    attributes[1].attr = ACL_RT_MEM_ATTR_VA_FLAG;
    CHECK(aclrtMallocWithCfg(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST, &config) == ACL_ERROR_RT_PARAM_INVALID);
    aclrtMallocConfig counted{nullptr, 1};
    CHECK(aclrtMallocWithCfg(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST, &counted) == ACL_ERROR_INVALID_PARAM);

    const auto read_only = static_cast<aclrtMemMallocPolicy>(ACL_MEM_MALLOC_HUGE_FIRST | ACL_MEM_ACCESS_USER_SPACE_READONLY);
    CHECK(aclrtMallocWithCfg(&block, 4096, read_only, nullptr) == 0);
    CHECK(aclrtMemset(block, 4096, 1, 4096) != 0);
    CHECK(aclrtFree(block) == 0);
}

void test_reset_keeps_new_owner() {
    Session session("product=910b;memory=1GiB");
    void* stale = nullptr;
    CHECK(aclrtMalloc(&stale, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    const std::size_t before = free_bytes(ACL_HBM_MEM);
    CHECK(aclrtResetDevice(0) == 0 && aclrtSetDevice(0) == 0);
    CHECK(free_bytes(ACL_HBM_MEM) > before);
    void* fresh = nullptr;
    CHECK(aclrtMalloc(&fresh, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHECK(put(fresh, pattern(4096, 3)) == 0);
    CHECK(aclrtFree(stale) != 0);
    CHECK(get(fresh, 4096) == pattern(4096, 3));
    CHECK(aclrtFree(fresh) == 0);
}

// Host memory

void test_host_blocks() {
    Session session("product=910b;memory=1GiB");
    void* block = at(nullptr, 5);
    CHECK(aclrtMallocHost(&block, std::size_t{1} << 60) == ACL_ERROR_RT_MEMORY_ALLOCATION && block == at(nullptr, 5));
    for (int round = 0; round < 100; ++round) {
        CHECK(aclrtMallocHost(&block, MiB) == 0);
        std::memset(block, round, MiB);
        aclrtPtrAttributes attributes{};
        CHECK(aclrtPointerGetAttributes(at(block, 1000), &attributes) == 0);
        CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST);
        CHECK(aclrtFree(block) != 0);
        CHECK(aclrtFreeHost(block) == 0);
        CHECK(aclrtFreeHost(block) != 0);
    }
    void* device = nullptr;
    CHECK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHECK(aclrtFreeHost(device) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtFree(device) == 0);
}

void test_registration() {
    Session session("product=910b;memory=1GiB");
    constexpr std::size_t size = 64 * KiB;
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    aclrtPtrAttributes attributes{};
    CHECK(aclrtPointerGetAttributes(memory, &attributes) == 0);
    CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    void* device = nullptr;
    CHECK(aclrtHostRegister(memory, size, ACL_HOST_REGISTER_MAPPED, &device) == 0);
    CHECK(aclrtHostRegisterV2(at(memory, 4096), size, ACL_HOST_REG_PINNED) == ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    void* again = nullptr;
    CHECK(aclrtHostGetDevicePointer(at(memory, 4096), &again, 0) == 0 && again == at(device, 4096));
    CHECK(aclrtPointerGetAttributes(at(memory, 100), &attributes) == 0);
    CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST);

    // The device pointer shows the very bytes, both ways.
    void* block = nullptr;
    CHECK(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    const Bytes first = pattern(size, 1);
    std::memcpy(memory, first.data(), size);
    CHECK(aclrtMemcpy(block, size, device, size, ACL_MEMCPY_DEFAULT) == 0);
    CHECK(get(block, size) == first);
    const Bytes second = pattern(size, 2);
    CHECK(put(block, second) == 0);
    CHECK(aclrtMemcpy(device, size, block, size, ACL_MEMCPY_DEFAULT) == 0);
    CHECK(std::memcmp(memory, second.data(), size) == 0);

    CHECK(aclrtHostUnregister(memory) == 0);
    CHECK(aclrtHostUnregister(memory) == ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CHECK(aclrtHostGetDevicePointer(memory, &again, 0) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtMemcpy(block, size, device, size, ACL_MEMCPY_DEFAULT) != 0);
    CHECK(aclrtHostRegisterV2(memory, size, ACL_HOST_REG_PINNED) == 0);
    CHECK(aclrtHostGetDevicePointer(memory, &again, 0) != 0);
    CHECK(aclrtHostUnregister(memory) == 0);
    CHECK(aclrtHostRegisterV2(at(memory, 64), size / 2, ACL_HOST_REG_PINNED) != 0);
    CHECK(aclrtHostRegisterV2(memory, size, 0) == ACL_ERROR_RT_PARAM_INVALID);

    void* pinned = nullptr;
    CHECK(aclrtMallocHost(&pinned, size) == 0);
    CHECK(aclrtHostRegisterV2(pinned, size, ACL_HOST_REG_PINNED) == ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    CHECK(aclrtHostRegister(pinned, size, ACL_HOST_REGISTER_MAPPED, &device) == 0);
    CHECK(aclrtFreeHost(pinned) == 0);
    CHECK(aclrtHostUnregister(pinned) != 0);
    CHECK(live("registrations") == 0 && live("host_allocations") == 0);

    aclrtMallocAttribute same{};
    same.attr = ACL_RT_MEM_ATTR_VA_FLAG;
    same.value.vaFlag = 1;
    aclrtMallocConfig config{&same, 1};
    CHECK(aclrtMallocHostWithCfg(&pinned, size, &config) == 0);
    CHECK(aclrtHostRegister(pinned, size, ACL_HOST_REGISTER_MAPPED, &device) == 0 && device == pinned);
    CHECK(aclrtHostUnregister(pinned) == 0);
    CHECK(aclrtFreeHost(pinned) == 0);
    CHECK(aclrtFree(block) == 0);
    munmap(memory, size);
}

void test_wild_host_pointers() {
    Session session("product=910b;memory=1GiB");
    constexpr std::size_t size = 64 * KiB;
    void* block = nullptr;
    CHECK(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHECK(put(block, pattern(size, 1)) == 0);
    void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(aclrtMemcpy(memory, size, block, size, ACL_MEMCPY_DEVICE_TO_HOST) != 0);
    mprotect(at(memory, size / 2), size / 2, PROT_NONE);
    CHECK(aclrtMemcpy(block, size, memory, size, ACL_MEMCPY_HOST_TO_DEVICE) != 0);
    munmap(memory, size);
    CHECK(aclrtMemcpy(block, size, memory, size, ACL_MEMCPY_HOST_TO_DEVICE) != 0);
    CHECK(aclrtMemcpy(at(nullptr, 4096), size, block, size, ACL_MEMCPY_DEVICE_TO_HOST) != 0);
    CHECK(get(block, size) == pattern(size, 1));
    // Registered memory that vanishes before the copy runs is an error of the stream.
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream) == 0);
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(aclrtHostRegisterV2(memory, size, ACL_HOST_REG_PINNED) == 0);
    std::atomic<bool> open{false};
    CHECK(aclrtLaunchHostFunc(stream, [](void* gate) {
              while (!static_cast<std::atomic<bool>*>(gate)->load()) std::this_thread::yield();
          }, &open) == 0);
    CHECK(aclrtMemcpyAsync(block, size, memory, size, ACL_MEMCPY_HOST_TO_DEVICE, stream) == 0);
    mprotect(memory, size, PROT_NONE);
    open = true;
    CHECK(aclrtSynchronizeStream(stream) != 0);
    CHECK(aclrtHostUnregister(memory) == 0);
    munmap(memory, size);
    CHECK(aclrtDestroyStream(stream) == 0);
    CHECK(aclrtFree(block) == 0);
}

void test_shared_form() {
    Session session("product=310b;form=RC;memory=1GiB");
    void* block = nullptr;
    void* host = nullptr;
    CHECK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHECK(aclrtMallocHost(&host, 100) == 0);
    std::memset(block, 7, 4096);
    CHECK(get(block, 4096) == Bytes(4096, 7));
    std::memset(host, 9, 100);
    CHECK(aclrtMemcpy(block, 4096, host, 100, ACL_MEMCPY_DEVICE_TO_DEVICE) == 0);
    CHECK(static_cast<unsigned char*>(block)[99] == 9);
    aclrtPtrAttributes attributes{};
    CHECK(aclrtPointerGetAttributes(host, &attributes) == 0);
    void* address = nullptr;
    CHECK(aclrtReserveMemAddress(&address, piece, 0, nullptr, 0) != 0);
    CHECK(aclrtFree(host) != 0);
    CHECK(aclrtFreeHost(host) == 0);
    CHECK(aclrtFree(block) == 0);
}

// Virtual memory

void test_seven_steps() {
    Session session("product=910b;memory=1GiB");
    const std::size_t before = free_bytes(ACL_HBM_MEM);
    for (int round = 0; round < 200; ++round) {
        void* range = reserved(piece);
        aclrtDrvMemHandle handle = physical();
        CHECK(aclrtMapMem(range, piece, 0, handle, 0) == 0);
        CHECK(put(range, pattern(piece, 1)) == 0);
        CHECK(round % 50 != 0 || get(range, piece) == pattern(piece, 1));
        CHECK(aclrtReleaseMemAddress(range) != 0);
        CHECK(aclrtUnmapMem(range) == 0);
        CHECK(aclrtUnmapMem(range) != 0);
        CHECK(aclrtFreePhysical(handle) == 0);
        CHECK(aclrtFreePhysical(handle) != 0);
        CHECK(aclrtReleaseMemAddress(range) == 0);
        CHECK(aclrtReleaseMemAddress(range) != 0);
    }
    CHECK(free_bytes(ACL_HBM_MEM) == before);
    CHECK(live("reservations") == 0 && live("physical") == 0 && live("mappings") == 0);
}

void test_straddling_copies() {
    Session session("product=910b;memory=1GiB");
    void* range = reserved(4 * piece);
    std::vector<aclrtDrvMemHandle> handles;
    for (std::size_t part = 0; part < 4; ++part) {
        handles.push_back(physical());
        CHECK(aclrtMapMem(at(range, part * piece), piece, 0, handles.back(), 0) == 0);
    }
    const Bytes all = pattern(4 * piece, 5);
    CHECK(put(range, all) == 0);
    CHECK(get(range, 4 * piece) == all);
    void* base = nullptr;
    std::size_t size = 0;
    CHECK(aclrtMemGetAddressRange(at(range, piece + 5), &base, &size) == 0 && base == at(range, piece) && size == piece);
    void* block = nullptr;
    CHECK(aclrtMalloc(&block, 2 * piece, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream) == 0);
    for (std::size_t window : {1UL, 2UL, 4096UL, piece + 2}) {
        char* from = at(range, piece - 1);
        CHECK(aclrtMemset(block, 2 * piece, 0, 2 * piece) == 0);
        CHECK(aclrtMemcpy(block, 2 * piece, from, window, ACL_MEMCPY_DEVICE_TO_DEVICE) == 0);
        const Bytes expected(all.begin() + static_cast<long>(piece - 1), all.begin() + static_cast<long>(piece - 1 + window));
        CHECK(get(block, window) == expected);
        CHECK(aclrtMemcpyAsync(at(block, 64), piece + 4096, from, window, ACL_MEMCPY_DEVICE_TO_DEVICE, stream) == 0);
        CHECK(aclrtSynchronizeStream(stream) == 0);
        CHECK(get(at(block, 64), window) == expected);
    }
    // A copy inside the range, over borders and overlapping itself, moves like memmove.
    Bytes model = all;
    std::memmove(model.data() + piece - 50, model.data() + 100, 2 * piece);
    CHECK(aclrtMemcpy(at(range, piece - 50), 2 * piece, at(range, 100), 2 * piece, ACL_MEMCPY_DEVICE_TO_DEVICE) == 0);
    CHECK(get(range, 4 * piece) == model);
    CHECK(aclrtMemset(at(range, piece - 3), 6, 0x77, 6) == 0);
    std::memset(model.data() + piece - 3, 0x77, 6);
    CHECK(get(range, 4 * piece) == model);
    // A hole in the range refuses the whole copy.
    CHECK(aclrtUnmapMem(at(range, piece)) == 0);
    CHECK(aclrtMemset(at(range, piece - 3), 6, 0, 6) != 0);
    CHECK(get(at(range, piece - 3), 3) == Bytes(3, 0x77));
    for (std::size_t part : {0UL, 2UL, 3UL}) CHECK(aclrtUnmapMem(at(range, part * piece)) == 0);
    for (auto handle : handles) CHECK(aclrtFreePhysical(handle) == 0);
    CHECK(aclrtReleaseMemAddress(range) == 0);
    CHECK(aclrtDestroyStream(stream) == 0);
    CHECK(aclrtFree(block) == 0);
}

void test_aliases_and_lifetimes() {
    Session session("product=910b;memory=1GiB");
    const std::size_t before = free_bytes(ACL_HBM_MEM);
    void* range = reserved(2 * piece);
    void* other = reserved(piece);
    aclrtDrvMemHandle handle = physical();
    CHECK(aclrtMapMem(at(range, piece), piece, 0, handle, 0) == 0);
    CHECK(aclrtMapMem(other, piece, 0, handle, 0) == 0);
    CHECK(put(at(range, piece), pattern(piece, 2)) == 0);
    CHECK(get(other, piece) == pattern(piece, 2));

    aclrtDrvMemHandle retained = nullptr;
    CHECK(aclrtMemRetainAllocationHandle(other, &retained) == 0);
    CHECK(aclrtUnmapMem(at(range, piece)) == 0);
    CHECK(aclrtFreePhysical(handle) == 0);
    CHECK(get(other, piece) == pattern(piece, 2));
    CHECK(aclrtUnmapMem(other) == 0);
    CHECK(aclrtMapMem(range, piece, 0, retained, 0) == 0);
    CHECK(get(range, piece) == pattern(piece, 2));
    CHECK(aclrtFreePhysical(retained) == 0);
    CHECK(get(range, piece) == pattern(piece, 2));
    CHECK(free_bytes(ACL_HBM_MEM) == before - piece);
    aclrtDrvMemHandle revived = nullptr;
    CHECK(aclrtMemRetainAllocationHandle(range, &revived) == 0 && revived != retained);
    CHECK(aclrtUnmapMem(range) == 0);
    CHECK(free_bytes(ACL_HBM_MEM) == before - piece);
    CHECK(aclrtFreePhysical(revived) == 0);
    CHECK(free_bytes(ACL_HBM_MEM) == before);
    CHECK(aclrtReleaseMemAddress(range) == 0 && aclrtReleaseMemAddress(other) == 0);
}

void test_refused_mappings() {
    Session session("product=910b;memory=1GiB");
    void* range = reserved(4 * piece);
    aclrtDrvMemHandle handle = physical();
    aclrtDrvMemHandle large = physical(2 * piece);
    CHECK(aclrtMapMem(range, piece, piece, handle, 0) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtMapMem(range, piece, 0, handle, 1) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtMapMem(range, piece, 0, large, 0) != 0);
    CHECK(aclrtMapMem(at(range, 4096), piece, 0, handle, 0) != 0);
    CHECK(aclrtMapMem(at(range, 4 * piece), piece, 0, handle, 0) != 0);
    CHECK(aclrtMapMem(at(range, 3 * piece), 2 * piece, 0, large, 0) != 0);
    CHECK(aclrtMapMem(at(range, piece), piece, 0, handle, 0) == 0);
    CHECK(aclrtMapMem(range, 2 * piece, 0, large, 0) != 0);
    aclrtDrvMemHandle elsewhere = physical(piece, device_property(ACL_HBM_MEM_HUGE, 1));
    CHECK(aclrtMapMem(range, piece, 0, elsewhere, 0) != 0);
    CHECK(aclrtUnmapMem(at(range, piece + 4096)) != 0);
    CHECK(aclrtUnmapMem(at(range, piece)) == 0);
    CHECK(aclrtMapMem(range, piece, 0, elsewhere, 0) == 0);
    CHECK(aclrtUnmapMem(range) == 0);
    for (auto each : {handle, large, elsewhere}) CHECK(aclrtFreePhysical(each) == 0);
    CHECK(aclrtReleaseMemAddress(range) == 0);
    auto property = device_property();
    CHECK(aclrtMallocPhysical(&handle, piece + 4096, &property, 0) != 0);
    CHECK(aclrtMallocPhysical(&handle, 1024 * TiB, &property, 0) != 0);
    property.reserve = 1;
    CHECK(aclrtMallocPhysical(&handle, piece, &property, 0) == ACL_ERROR_RT_PARAM_INVALID);
    property = device_property(ACL_DDR_MEM_HUGE);
    CHECK(aclrtMallocPhysical(&handle, piece, &property, 0) == ACL_ERROR_INVALID_PARAM);
    property = device_property(ACL_HBM_MEM_HUGE, 2);
    CHECK(aclrtMallocPhysical(&handle, piece, &property, 0) == ACL_ERROR_RT_INVALID_DEVICEID);
}

void test_access() {
    Session session("product=910b;memory=1GiB");
    void* range = reserved(piece);
    aclrtDrvMemHandle handle = physical();
    CHECK(aclrtMemMapNoAccess(range, piece, 0, handle, 0) == 0);
    CHECK(aclrtMemset(range, 64, 1, 64) != 0);
    aclrtMemLocation here{0, ACL_MEM_LOCATION_TYPE_DEVICE};
    std::uint64_t flags = 9;
    CHECK(aclrtMemGetAccess(range, &here, &flags) == 0 && flags == ACL_RT_MEM_ACCESS_FLAGS_NONE);
    aclrtMemAccessDesc grant{};
    grant.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    grant.location = here;
    CHECK(aclrtMemSetAccess(range, piece / 2, &grant, 1) != 0);
    CHECK(aclrtMemSetAccess(range, piece, &grant, 1) == 0);
    CHECK(aclrtMemGetAccess(range, &here, &flags) == 0 && flags == ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
    CHECK(put(range, pattern(piece, 8)) == 0);
    CHECK(get(range, piece) == pattern(piece, 8));
    grant.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
    CHECK(aclrtMemSetAccess(range, piece, &grant, 1) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    // The host sees the bytes once it is granted access, and no longer than the mapping lives.
    grant.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    grant.location = {0, ACL_MEM_LOCATION_TYPE_HOST};
    CHECK(aclrtMemSetAccess(range, piece, &grant, 1) == 0);
    CHECK(std::memcmp(range, pattern(piece, 8).data(), piece) == 0);
    CHECK(aclrtUnmapMem(range) == 0);
    CHECK(aclrtFreePhysical(handle) == 0);
    CHECK(aclrtReleaseMemAddress(range) == 0);
}

void test_host_physical() {
    Session session("product=910b;memory=1GiB");
    aclrtPhysicalMemProp property = device_property(ACL_MEM_NORMAL);
    property.location = {0, ACL_MEM_LOCATION_TYPE_HOST_NUMA};
    aclrtDrvMemHandle handle = physical(piece, property);
    void* range = reserved(piece);
    CHECK(aclrtMapMem(range, piece, 0, handle, 0) == 0);
    std::memset(range, 0x3C, piece);
    void* block = nullptr;
    CHECK(aclrtMalloc(&block, piece, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHECK(aclrtMemcpy(block, piece, range, piece, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    CHECK(get(block, piece) == Bytes(piece, 0x3C));
    aclrtPtrAttributes attributes{};
    CHECK(aclrtPointerGetAttributes(range, &attributes) == 0);
    CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST_NUMA && attributes.location.id == 0);
    aclrtPhysicalMemProp back{};
    CHECK(aclrtMemGetAllocationPropertiesFromHandle(handle, &back) == 0);
    CHECK(back.location.type == ACL_MEM_LOCATION_TYPE_HOST_NUMA);
    CHECK(aclrtUnmapMem(range) == 0 && aclrtFreePhysical(handle) == 0 && aclrtReleaseMemAddress(range) == 0);
    CHECK(aclrtFree(block) == 0);
}

void test_granularity() {
    Session session("product=910b;memory=1GiB");
    std::size_t minimum = 0;
    std::size_t recommended = 0;
    for (auto attribute : {ACL_HBM_MEM_HUGE, ACL_HBM_MEM_NORMAL, ACL_MEM_NORMAL, ACL_MEM_P2P_HUGE, ACL_HBM_MEM_HUGE1G}) {
        auto property = device_property(attribute);
        CHECK(aclrtMemGetAllocationGranularity(&property, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &minimum) == 0);
        CHECK(aclrtMemGetAllocationGranularity(&property, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &recommended) == 0);
        CHECK(recommended >= minimum && recommended % minimum == 0);
        CHECK(minimum == (attribute == ACL_HBM_MEM_HUGE1G ? GiB : piece));
    }
    auto property = device_property();
    CHECK(aclrtMemGetAllocationGranularity(&property, ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &minimum) ==
          ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

// ThreadSanitizer keeps its shadow where these addresses lie.
#if !defined(__SANITIZE_THREAD__)
void test_expected_addresses() {
    {
        Session session("product=910b;memory=1GiB");
        void* wanted = at(nullptr, 20 * TiB);
        void* range = nullptr;
        CHECK(aclrtReserveMemAddress(&range, piece, 0, wanted, 0) == 0 && range == wanted);
        CHECK(aclrtReserveMemAddress(&range, piece, 0, wanted, 0) != 0);
        CHECK(aclrtReleaseMemAddress(wanted) == 0);
        CHECK(aclrtReserveMemAddress(&range, 2 * GiB, 0, at(wanted, piece), 0) == ACL_ERROR_RT_PARAM_INVALID);
        CHECK(aclrtReserveMemAddress(&range, 2 * GiB, 0, wanted, 0) == 0);
        CHECK(aclrtReleaseMemAddress(wanted) == 0);
        for (std::size_t outside : {16 * TiB - 4 * GiB, 24 * TiB + 4 * GiB, std::size_t{0x1000}})
            CHECK(aclrtReserveMemAddress(&range, piece, 0, at(nullptr, outside), 0) != 0);
        CHECK(aclrtReserveMemAddress(&range, piece, 1, nullptr, 0) == ACL_ERROR_RT_PARAM_INVALID);
    }
    {
        Session session("product=910b;memory=1GiB;cann=8.0");
        void* range = nullptr;
        CHECK(aclrtReserveMemAddress(&range, piece, 0, at(nullptr, 20 * TiB), 0) != 0);
        CHECK(aclrtReserveMemAddress(&range, piece, 0, nullptr, 1) == 0);
        CHECK(aclrtReleaseMemAddress(range) == 0);
    }
    {
        Session session("product=A3;memory=1GiB");
        void* range = nullptr;
        CHECK(aclrtReserveMemAddressNoUCMemory(&range, GiB, 0, at(nullptr, 50 * TiB), 0) == 0);
        CHECK(range == at(nullptr, 50 * TiB));
        CHECK(aclrtReleaseMemAddress(range) == 0);
        CHECK(aclrtReserveMemAddressNoUCMemory(&range, GiB, 0, nullptr, 0) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    }
}
#endif

void test_selected_link() {
    Session session("product=A3;memory=1GiB");
    void* source = reserved(2 * piece);
    void* target = reserved(2 * piece);
    CHECK(aclrtMemMapSelectedLink(target, 2 * piece, source, 0) != 0);
    aclrtDrvMemHandle handles[2] = {physical(), physical()};
    for (std::size_t part = 0; part < 2; ++part) CHECK(aclrtMapMem(at(source, part * piece), piece, 0, handles[part], 0) == 0);
    CHECK(aclrtMemMapSelectedLink(target, 2 * piece, source, 1) == 0);
    CHECK(put(source, pattern(2 * piece, 6)) == 0);
    CHECK(get(target, 2 * piece) == pattern(2 * piece, 6));
    for (std::size_t part = 0; part < 2; ++part) {
        CHECK(aclrtUnmapMem(at(source, part * piece)) == 0);
        CHECK(aclrtFreePhysical(handles[part]) == 0);
    }
    CHECK(get(target, 2 * piece) == pattern(2 * piece, 6));
    for (std::size_t part = 0; part < 2; ++part) CHECK(aclrtUnmapMem(at(target, part * piece)) == 0);
    CHECK(aclrtReleaseMemAddress(source) == 0 && aclrtReleaseMemAddress(target) == 0);
}

// Managed memory and pools

void test_managed() {
    Session session("product=910b;memory=1GiB");
    const std::size_t before = free_bytes(ACL_HBM_MEM);
    void* memory = nullptr;
    CHECK(aclrtMemAllocManaged(&memory, 4 * TiB, ACL_RT_MEM_ATTACH_GLOBAL) != 0);
    CHECK(aclrtMemAllocManaged(&memory, 2 * piece, ACL_RT_MEM_ATTACH_GLOBAL) == 0);
    CHECK(free_bytes(ACL_HBM_MEM) == before);
    auto attribute = [&](aclrtMemManagedRangeAttribute which, std::size_t size) {
        std::int32_t value = 77;
        CHECK(aclrtMemManagedGetAttr(which, memory, size, &value, sizeof(value)) == 0);
        return value;
    };
    const aclrtMemManagedLocation device{ACL_MEM_LOCATIONTYPE_DEVICE, 0};
    const aclrtMemManagedLocation host{ACL_MEM_LOCATIONTYPE_HOST, 0};
    CHECK(attribute(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, 2 * piece) == -2);
    CHECK(aclrtMemManagedAdvise(memory, piece, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, device) == 0);
    CHECK(attribute(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, piece) == 0);
    CHECK(attribute(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, 2 * piece) == -2);
    CHECK(aclrtMemManagedAdvise(memory, piece, ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION, device) == 0);

    std::memset(memory, 0x11, 2 * piece);
    CHECK(aclrtMemManagedAdvise(memory, piece, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, device) != 0);
    CHECK(get(memory, 2 * piece) == Bytes(2 * piece, 0x11));
    CHECK(aclrtMemset(memory, piece, 0x22, piece) == 0);
    CHECK(free_bytes(ACL_HBM_MEM) < before);
    CHECK(aclrtMemManagedAdvise(memory, piece, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, host) != 0);
    CHECK(aclrtMemManagedAdvise(memory, piece, ACL_MEM_ADVISE_SET_READ_MOSTLY, {ACL_MEM_LOCATIONTYPE_INVALID, 0}) == 0);
    CHECK(attribute(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, piece) == 1);
    CHECK(aclrtMemManagedAdvise(memory, piece, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, host) == 0);
    CHECK(attribute(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, piece) == -1);
    CHECK(static_cast<unsigned char*>(memory)[piece - 1] == 0x22 && static_cast<unsigned char*>(memory)[piece] == 0x11);
    CHECK(aclrtMemManagedPrefetchAsync(memory, 2 * piece, host, 0, nullptr) == 0);
    CHECK(aclrtSynchronizeStream(nullptr) == 0);
    CHECK(free_bytes(ACL_HBM_MEM) == before);
    aclrtPtrAttributes attributes{};
    CHECK(aclrtPointerGetAttributes(memory, &attributes) == 0 && attributes.location.type == ACL_MEM_LOCATION_TYPE_MANAGED);
    CHECK(aclrtFree(memory) == 0);
    CHECK(aclrtFree(memory) != 0);
}

void test_pool() {
    Session session("product=910b;memory=1GiB");
    const std::size_t before = free_bytes(ACL_HBM_MEM);
    aclrtMemPoolProps properties{};
    properties.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    properties.maxSize = 64 * MiB;
    aclrtMemPool pool = nullptr;
    CHECK(aclrtMemPoolCreate(&pool, &properties) == 0);
    aclrtStream stream = nullptr;
    aclrtStream other = nullptr;
    CHECK(aclrtCreateStream(&stream) == 0 && aclrtCreateStream(&other) == 0);
    auto attribute = [&](aclrtMemPoolAttr which) {
        std::uint64_t value = 77;
        CHECK(aclrtMemPoolGetAttr(pool, which, &value) == 0);
        return value;
    };
    std::uint64_t threshold = 64 * MiB;
    CHECK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &threshold) == 0);
    void* slots = nullptr;
    CHECK(aclrtMallocHost(&slots, 1000 * 64) == 0);
    for (int round = 0; round < 1000; ++round) {
        void* block = nullptr;
        CHECK(aclrtMemPoolMallocAsync(&block, round % 3 ? MiB : 3 * MiB, pool, stream) == 0);
        CHECK(aclrtMemsetAsync(block, 64, round & 0xFF, 64, stream) == 0);
        CHECK(aclrtMemcpyAsync(at(slots, static_cast<std::size_t>(round) * 64), 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream) == 0);
        CHECK(aclrtMemPoolFreeAsync(block, stream) == 0);
    }
    CHECK(aclrtSynchronizeStream(stream) == 0);
    for (int round = 0; round < 1000; ++round)
        CHECK(static_cast<unsigned char*>(slots)[round * 64 + 63] == (round & 0xFF));
    CHECK(attribute(ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT) == 0);
    CHECK(attribute(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT) <= 6 * MiB);

    // Reuse across streams waits for the release when internal dependencies are allowed.
    std::uint32_t on = 1;
    CHECK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &on) == 0);
    void* first = nullptr;
    void* second = nullptr;
    CHECK(aclrtMemPoolTrimTo(pool, 0) == 0 && attribute(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT) == 0);
    CHECK(aclrtMemPoolMallocAsync(&first, 64 * MiB, pool, stream) == 0);
    std::atomic<bool> open{false};
    CHECK(aclrtMemsetAsync(first, 64, 1, 64, stream) == 0);
    CHECK(aclrtLaunchHostFunc(stream, [](void* gate) {
              while (!static_cast<std::atomic<bool>*>(gate)->load()) std::this_thread::yield();
          }, &open) == 0);
    CHECK(aclrtMemcpyAsync(slots, 64, first, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream) == 0);
    CHECK(aclrtMemPoolFreeAsync(first, stream) == 0);
    CHECK(aclrtMemPoolMallocAsync(&second, 64 * MiB, pool, other) == 0 && second == first);
    CHECK(aclrtMemsetAsync(second, 64, 2, 64, other) == 0);
    CHECK(aclrtMemPoolMallocAsync(&first, piece, pool, stream) != 0);
    open = true;
    CHECK(aclrtSynchronizeStream(other) == 0 && aclrtSynchronizeStream(stream) == 0);
    CHECK(static_cast<unsigned char*>(slots)[0] == 1);
    CHECK(aclrtMemPoolDestroy(pool) != 0);
    CHECK(aclrtMemPoolFreeAsync(second, other) == 0 && aclrtSynchronizeStream(other) == 0);
    CHECK(aclrtMemPoolFreeAsync(second, other) != 0);
    CHECK(aclrtMemPoolDestroy(pool) == 0 && aclrtMemPoolDestroy(pool) != 0);
    CHECK(free_bytes(ACL_HBM_MEM) == before);
    CHECK(aclrtFreeHost(slots) == 0);
    CHECK(aclrtDestroyStream(stream) == 0 && aclrtDestroyStream(other) == 0);
}

// Cache maintenance

void test_cache_operations() {
    {
        Session session("product=910b;memory=1GiB");
        void* block = nullptr;
        void* descriptor = nullptr;
        void* host = nullptr;
        std::size_t size = 0;
        CHECK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && aclrtMallocHost(&host, 4096) == 0);
        CHECK(put(block, pattern(4096, 4)) == 0);
        CHECK(aclrtCmoAsync(block, 4096, ACL_RT_CMO_TYPE_PREFETCH, nullptr) == 0);
        CHECK(aclrtCmoAsync(host, 4096, ACL_RT_CMO_TYPE_PREFETCH, nullptr) != 0);
        CHECK(aclrtCmoAsync(block, 4096, static_cast<aclrtCmoType>(4), nullptr) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        CHECK(aclrtCmoGetDescSize(&size) == 0 && size > 0);
        CHECK(aclrtMalloc(&descriptor, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
        CHECK(aclrtCmoSetDesc(descriptor, block, 4096) == 0 && aclrtCmoSetDesc(host, block, 4096) != 0);
        CHECK(aclrtCmoAsyncWithDesc(descriptor, ACL_RT_CMO_TYPE_PREFETCH, nullptr, nullptr) == 0);
        CHECK(aclrtSynchronizeStream(nullptr) == 0);
        CHECK(get(block, 4096) == pattern(4096, 4));
        CHECK(aclrtFree(block) == 0 && aclrtFree(descriptor) == 0 && aclrtFreeHost(host) == 0);
    }
    {
        Session session("product=310b;memory=1GiB");
        void* block = nullptr;
        aclmdlRI instance = nullptr;
        aclrtStream bound = nullptr;
        CHECK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
        CHECK(put(block, pattern(4096, 4)) == 0);
        CHECK(aclrtCmoAsyncWithBarrier(block, 4096, ACL_RT_CMO_TYPE_INVALID, 1, nullptr) != 0);
        CHECK(aclmdlRIBuildBegin(&instance, 0) == 0);
        CHECK(aclrtCreateStreamWithConfig(&bound, 0, ACL_STREAM_PERSISTENT) == 0);
        CHECK(aclmdlRIBindStream(instance, bound, ACL_MODEL_STREAM_FLAG_HEAD) == 0);
        CHECK(aclrtCmoAsyncWithBarrier(block, 4096, ACL_RT_CMO_TYPE_INVALID, 0, bound) == ACL_ERROR_RT_PARAM_INVALID);
        CHECK(aclrtCmoAsyncWithBarrier(block, 4096, ACL_RT_CMO_TYPE_INVALID, 1, bound) == 0);
        aclrtBarrierTaskInfo barriers{};
        barriers.barrierNum = 1;
        barriers.cmoInfo[0] = {ACL_RT_CMO_TYPE_INVALID, 1};
        CHECK(aclrtCmoWaitBarrier(&barriers, bound, 0) == 0);
        CHECK(aclrtCmoWaitBarrier(&barriers, nullptr, 0) != 0);
        CHECK(aclmdlRIEndTask(instance, bound) == 0 && aclmdlRIBuildEnd(instance, nullptr) == 0);
        CHECK(aclmdlRIExecute(instance, -1) == 0);
        CHECK(get(block, 4096) == pattern(4096, 4));
        CHECK(aclmdlRIUnbindStream(instance, bound) == 0);
        CHECK(aclmdlRIDestroy(instance) == 0 && aclrtDestroyStream(bound) == 0 && aclrtFree(block) == 0);
    }
}

// Two processes

struct Child {
    pid_t process = -1;
    int to = -1;
    int from = -1;

    Child(const char* role, const std::string& value) {
        int down[2];
        int up[2];
        CHECK(pipe(down) == 0 && pipe(up) == 0);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, down[0], 0);
        posix_spawn_file_actions_adddup2(&actions, up[1], 1);
        posix_spawn_file_actions_addclose(&actions, down[1]);
        posix_spawn_file_actions_addclose(&actions, up[0]);
        std::string name = "/proc/self/exe";
        std::string first = role;
        std::string second = value;
        char* arguments[] = {name.data(), first.data(), second.data(), nullptr};
        char path[4096];
        const ssize_t length = readlink(name.c_str(), path, sizeof(path) - 1);
        path[length < 0 ? 0 : length] = '\0';
        CHECK(posix_spawn(&process, path, &actions, nullptr, arguments, environ) == 0);
        posix_spawn_file_actions_destroy(&actions);
        close(down[0]);
        close(up[1]);
        to = down[1];
        from = up[0];
    }
    /// Sends one letter and waits for the answer.
    char ask(char letter) const {
        char answer = '?';
        CHECK(write(to, &letter, 1) == 1);
        CHECK(read(from, &answer, 1) == 1);
        return answer;
    }
    bool finish() const {
        close(to);
        int status = 0;
        waitpid(process, &status, 0);
        close(from);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
};

void answer(bool good) {
    const char letter = good ? 'y' : 'n';
    if (write(1, &letter, 1) != 1) _exit(3);
}

/// The importing process: i imports, r checks and writes, c closes.
int import_physical_role(const std::string& value) {
    Session session("product=910b;memory=1GiB");
    const std::uint64_t shareable = std::strtoull(value.c_str(), nullptr, 10);
    void* range = reserved(piece);
    aclrtDrvMemHandle handle = nullptr;
    const std::size_t before = free_bytes(ACL_HBM_MEM);
    for (char letter = 0; read(0, &letter, 1) == 1;) {
        if (letter == 'i') answer(aclrtMemImportFromShareableHandle(shareable, 0, &handle) == 0);
        if (letter == 'r') {
            bool good = aclrtMapMem(range, piece, 0, handle, 0) == 0 && get(range, piece) == pattern(piece, 1);
            answer(good && put(range, pattern(piece, 2)) == 0);
        }
        if (letter == 'c') answer(aclrtUnmapMem(range) == 0 && aclrtFreePhysical(handle) == 0 &&
                                  free_bytes(ACL_HBM_MEM) == before);
    }
    CHECK(aclrtReleaseMemAddress(range) == 0);
    return checks::failed != 0;
}

int import_block_role(const std::string& key) {
    Session session("product=910b;memory=1GiB");
    void* block = nullptr;
    for (char letter = 0; read(0, &letter, 1) == 1;) {
        if (letter == 'i') answer(aclrtIpcMemImportByKey(&block, key.c_str(), 0) == 0);
        if (letter == 'r') {
            const bool good = get(block, piece) == pattern(piece, 1);
            answer(good && put(block, pattern(piece, 2)) == 0);
        }
        if (letter == 'c') {
            const bool closed = aclrtIpcMemClose(key.c_str()) == 0;
            answer(closed && aclrtMemset(block, 64, 0, 64) != 0 && aclrtIpcMemClose(key.c_str()) != 0);
        }
    }
    return checks::failed != 0;
}

void test_shared_physical() {
    Session session("product=910b;memory=1GiB");
    const std::size_t before = free_bytes(ACL_HBM_MEM);
    void* range = reserved(piece);
    aclrtDrvMemHandle handle = physical();
    CHECK(aclrtMapMem(range, piece, 0, handle, 0) == 0);
    CHECK(put(range, pattern(piece, 1)) == 0);
    std::uint64_t shareable = 0;
    CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &shareable) == 0 && shareable != 0);
    std::uint64_t repeated = 0;
    CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &repeated) != 0);
    aclrtDrvMemHandle own = nullptr;
    CHECK(aclrtMemImportFromShareableHandle(shareable, 0, &own) != 0);
    CHECK(aclrtMemImportFromShareableHandle(0x123456789ABCDEF, 0, &own) != 0);
    Child child("physical", std::to_string(shareable));
    CHECK(child.ask('i') == 'n');
    std::int32_t process = child.process;
    CHECK(aclrtMemSetPidToShareableHandle(shareable + 12345, &process, 1) != 0);
    CHECK(aclrtMemSetPidToShareableHandle(shareable, &process, 1) == 0);
    CHECK(child.ask('i') == 'y');
    CHECK(child.ask('r') == 'y');
    CHECK(get(range, piece) == pattern(piece, 2));
    // Freed here, the pages are counted until the importer lets go.
    CHECK(aclrtUnmapMem(range) == 0 && aclrtFreePhysical(handle) == 0);
    CHECK(free_bytes(ACL_HBM_MEM) == before - piece);
    CHECK(child.ask('c') == 'y');
    CHECK(free_bytes(ACL_HBM_MEM) == before);
    CHECK(child.ask('i') == 'n');
    CHECK(child.finish());
    CHECK(aclrtReleaseMemAddress(range) == 0);
}

void test_shared_block() {
    Session session("product=910b;memory=1GiB");
    void* block = nullptr;
    CHECK(aclrtMalloc(&block, piece, ACL_MEM_MALLOC_HUGE_ONLY) == 0);
    CHECK(put(block, pattern(piece, 1)) == 0);
    char key[65] = "";
    CHECK(aclrtIpcMemGetExportKey(at(block, 64), 64, key, 65, 0) != 0);
    CHECK(aclrtIpcMemGetExportKey(block, piece, key, 64, 0) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtIpcMemGetExportKey(block, piece, key, 65, 0) == 0 && std::strlen(key) == 64);
    Child child("block", key);
    CHECK(child.ask('i') == 'n');
    std::int32_t process = child.process;
    CHECK(aclrtIpcMemSetImportPid(key, &process, 1) == 0);
    CHECK(child.ask('i') == 'y');
    CHECK(child.ask('r') == 'y');
    CHECK(get(block, piece) == pattern(piece, 2));
    CHECK(child.ask('c') == 'y');
    CHECK(aclrtIpcMemClose(key) == 0);
    CHECK(aclrtIpcMemClose(key) != 0);
    CHECK(child.ask('i') == 'n');
    CHECK(child.finish());
    CHECK(aclrtFree(block) == 0);

    void* small[2] = {};
    for (void*& each : small) CHECK(aclrtMalloc(&each, KiB, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHECK(aclrtIpcMemGetExportKey(small[1], KiB, key, 65, 0) != 0);
    for (void* each : small) CHECK(aclrtFree(each) == 0);
}

// Everything at once

/// One thread's random allocations, maps and copies against a model of its own memory.
void stress(unsigned seed, std::atomic<int>& wrong) {
    CHECK(aclrtSetDevice(0) == 0);
    std::mt19937 random(seed);
    struct Owned {
        void* base;
        aclrtDrvMemHandle handle;
        bool pinned;
        Bytes model;
    };
    std::vector<Owned> owned;
    auto release = [&](std::size_t index) {
        Owned one = std::move(owned[index]);
        owned[index] = std::move(owned.back());
        owned.pop_back();
        if (one.handle) {
            wrong += aclrtUnmapMem(one.base) != 0;
            wrong += aclrtFreePhysical(one.handle) != 0;
            wrong += aclrtReleaseMemAddress(one.base) != 0;
        } else {
            wrong += (one.pinned ? aclrtFreeHost(one.base) : aclrtFree(one.base)) != 0;
        }
    };
    for (int round = 0; round < 1500; ++round) {
        const unsigned choice = random() % 10;
        if (choice < 3 || owned.size() < 2) {
            Owned one{nullptr, nullptr, choice == 1, Bytes(1 + random() % 20000, 0)};
            if (choice == 0) {
                auto property = device_property();
                wrong += aclrtMallocPhysical(&one.handle, piece, &property, 0) != 0;
                wrong += aclrtReserveMemAddress(&one.base, piece, 0, nullptr, 0) != 0;
                wrong += aclrtMapMem(one.base, piece, 0, one.handle, 0) != 0;
            } else if (one.pinned) {
                wrong += aclrtMallocHost(&one.base, one.model.size()) != 0;
            } else {
                wrong += aclrtMalloc(&one.base, one.model.size(), ACL_MEM_MALLOC_HUGE_FIRST) != 0;
            }
            const std::size_t size = one.model.size();
            const int value = static_cast<int>(random() & 0xFF);
            std::fill(one.model.begin(), one.model.end(), static_cast<unsigned char>(value));
            wrong += aclrtMemset(one.base, size, value, size) != 0;
            owned.push_back(std::move(one));
        } else if (choice < 5) {
            release(random() % owned.size());
        } else {
            Owned& target = owned[random() % owned.size()];
            const Owned& source = owned[random() % owned.size()];
            if (&target == &source) continue;
            const std::size_t size = 1 + random() % std::min(target.model.size(), source.model.size());
            const std::size_t to = random() % (target.model.size() - size + 1);
            const std::size_t from = random() % (source.model.size() - size + 1);
            wrong += aclrtMemcpy(at(target.base, to), size, at(source.base, from), size, ACL_MEMCPY_DEFAULT) != 0;
            std::memcpy(target.model.data() + to, source.model.data() + from, size);
            wrong += get(target.base, target.model.size()) != target.model;
        }
    }
    while (!owned.empty()) release(owned.size() - 1);
}

void test_threads() {
    Session session("product=910b;memory=1GiB");
    const std::size_t before = free_bytes(ACL_HBM_MEM);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned seed = 1; seed <= 4; ++seed) threads.emplace_back(stress, seed, std::ref(wrong));
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(free_bytes(ACL_HBM_MEM) == before);
    CHECK(live("device_allocations") == 0 && live("host_allocations") == 0 && live("physical") == 0);
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 3 && std::string(arguments[1]) == "physical") return import_physical_role(arguments[2]);
    if (count == 3 && std::string(arguments[1]) == "block") return import_block_role(arguments[2]);
    test_sizes_and_alignment();
    test_refused_allocations();
    test_memory_info();
    test_memory_kinds_of_products();
    test_configured_allocation();
    test_reset_keeps_new_owner();
    test_host_blocks();
    test_registration();
    test_wild_host_pointers();
    test_shared_form();
    test_seven_steps();
    test_straddling_copies();
    test_aliases_and_lifetimes();
    test_refused_mappings();
    test_access();
    test_host_physical();
    test_granularity();
#if !defined(__SANITIZE_THREAD__)
    test_expected_addresses();
#endif
    test_selected_link();
    test_managed();
    test_pool();
    test_cache_operations();
    test_shared_physical();
    test_shared_block();
    test_threads();
    return checks::result();
}
