// Executes the operations that the model of memory has drawn, each thread its own, and compares every read.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclref_control.h"
#include "checks.hpp"

namespace {

constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;
constexpr std::size_t slots = 12;
constexpr std::size_t granule = std::size_t{2} << 20;

struct Operation {
    std::string name;
    std::uint64_t slot = 0, first = 0, size = 0, fourth = 0, fifth = 0;
};

struct Block {
    char* address = nullptr;
    aclrtDrvMemHandle handle = nullptr;  // of memory that was mapped by hand
};

std::vector<unsigned char> content(std::uint64_t seed, std::size_t size) {
    std::vector<unsigned char> made(size);
    for (std::size_t at = 0; at < size; ++at) made[at] = static_cast<unsigned char>(((at + 1) * (seed | 1) * factor) >> 24);
    return made;
}

std::uint64_t checksum(const std::vector<unsigned char>& data) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < data.size(); ++at) sum += (data[at] + std::uint64_t{1}) * ((at + 1) * factor);
    return sum;
}

Block mapped() {
    aclrtPhysicalMemProp property{};
    property.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    property.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    property.memAttr = ACL_HBM_MEM_HUGE;
    property.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    Block made;
    void* range = nullptr;
    CHECK(aclrtMallocPhysical(&made.handle, granule, &property, 0) == 0);
    CHECK(aclrtReserveMemAddress(&range, granule, 0, nullptr, 0) == 0);
    CHECK(aclrtMapMem(range, granule, 0, made.handle, 0) == 0);
    made.address = static_cast<char*>(range);
    return made;
}

void give_back(Block& block) {
    if (block.handle == nullptr) {
        CHECK(aclrtFree(block.address) == 0);
    } else {
        CHECK(aclrtUnmapMem(block.address) == 0 && aclrtReleaseMemAddress(block.address) == 0);
        CHECK(aclrtFreePhysical(block.handle) == 0);
    }
    block = {};
}

/// One operation; false where a read gave something else than the model says.
bool perform(const Operation& op, std::vector<Block>& blocks, aclrtStream stream) {
    Block& block = blocks[op.slot];
    char* place = block.address + op.first;
    if (op.name == "allocate") {
        void* made = nullptr;
        CHECK(aclrtMalloc(&made, op.first, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
        block.address = static_cast<char*>(made);
    } else if (op.name == "map") {
        block = mapped();
    } else if (op.name == "free") {
        give_back(block);
    } else if (op.name == "write") {
        const auto data = content(op.fourth, op.size);
        CHECK(aclrtMemcpy(place, op.size, data.data(), op.size, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    } else if (op.name == "fill") {
        CHECK(aclrtMemset(place, op.size, static_cast<int>(op.fourth), op.size) == 0);
    } else if (op.name == "fill_later") {
        CHECK(aclrtMemsetAsync(place, op.size, static_cast<int>(op.fourth), op.size, stream) == 0);
    } else if (op.name == "copy" || op.name == "copy_later") {
        const char* source = blocks[op.fourth].address + op.fifth;
        const aclrtMemcpyKind kind = ACL_MEMCPY_DEVICE_TO_DEVICE;
        CHECK((op.name == "copy" ? aclrtMemcpy(place, op.size, source, op.size, kind)
                                 : aclrtMemcpyAsync(place, op.size, source, op.size, kind, stream)) == 0);
    } else if (op.name == "wait") {
        CHECK(aclrtSynchronizeStream(stream) == 0);
    } else if (op.name == "read") {
        std::vector<unsigned char> data(op.size);
        CHECK(aclrtMemcpy(data.data(), op.size, place, op.size, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
        return checksum(data) == op.fourth;
    } else {
        std::fprintf(stderr, "no such operation: %s\n", op.name.c_str());
        std::exit(2);
    }
    return true;
}

void execute(unsigned thread, const std::vector<Operation>& operations) {
    CHECK(aclrtSetDevice(0) == 0);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream) == 0);
    std::vector<Block> blocks(slots);
    for (std::size_t number = 0; number < operations.size(); ++number) {
        const bool right = perform(operations[number], blocks, stream);
        CHECK(right);
        if (!right) std::fprintf(stderr, "thread %u, operation %zu reads something else\n", thread, number + 1);
    }
    CHECK(aclrtDestroyStream(stream) == 0);
}

std::vector<std::vector<Operation>> read(const char* file) {
    std::ifstream in(file);
    std::vector<std::vector<Operation>> made;
    std::size_t count = 0;
    std::string line;
    while (in >> count) {
        std::getline(in, line);
        std::vector<Operation> operations(count);
        for (Operation& op : operations) {
            std::getline(in, line);
            char name[16] = "";
            std::sscanf(line.c_str(), "%15s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, name, &op.slot,
                        &op.first, &op.size, &op.fourth, &op.fifth);
            op.name = name;
        }
        made.push_back(std::move(operations));
    }
    return made;
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) return 2;
    const auto program = read(words[1]);
    CHECK(aclrefConfigure("product=910b;memory=4GiB") == 0);
    CHECK(aclrefSetSeed(std::strtoull(words[2], nullptr, 10)) == 0);
    if (const char* fault = std::getenv("ACLREF_FAULT")) CHECK(aclrefSetFault(fault) == 0);
    CHECK(aclInit(nullptr) == 0);
    std::vector<std::thread> running;
    for (unsigned thread = 0; thread < program.size(); ++thread)
        running.emplace_back(execute, thread, std::cref(program[thread]));
    for (std::thread& thread : running) thread.join();
    char live[2048];
    aclrefLiveObjects(live, sizeof(live));
    const std::string text = live;
    for (const char* none : {"\"streams\":0", "\"device_allocations\":0"}) CHECK(text.find(none) != std::string::npos);
    CHECK(aclFinalize() == 0);
    return checks::result();
}
