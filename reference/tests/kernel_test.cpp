// Kernels: an object with two of them is written here, loaded, broken byte by byte, launched in every way and from two
// threads, and unloaded while kernels wait.
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclref_control.h"
#include "checks.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t words = 16;
constexpr std::uint16_t fill = 2, scale = 4;

template <class Value>
void put(Bytes& bytes, const Value& value) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof(value));
}

/// A program of one step, whose operands are its parameters in order.
Bytes program(std::uint16_t operation, const std::vector<std::uint32_t>& sizes) {
    Bytes out;
    put(out, std::uint32_t{0x4c4e524b});
    for (auto half : {std::uint16_t{0}, std::uint16_t{0}, static_cast<std::uint16_t>(sizes.size()), std::uint16_t{1}})
        put(out, half);
    for (auto size : sizes) put(out, size);
    for (std::uint16_t each : {operation, std::uint16_t{0}, std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{0}})
        put(out, each);
    return out;
}

/// An object with the kernels `fill` and `scale`: the code, the symbols, their names, one section each.
Bytes binary() {
    const std::string names(std::string("\0fill\0scale\0", 12));
    const Bytes first = program(fill, {8, 4, 4}), second = program(scale, {8, 8, 8});
    Bytes body(sizeof(Elf64_Ehdr));
    Elf64_Shdr sections[4]{};
    const auto place = [&](Elf64_Shdr& section, std::uint32_t type, const void* data, std::size_t size) {
        section.sh_type = type, section.sh_offset = body.size(), section.sh_size = size;
        const auto* begin = static_cast<const std::uint8_t*>(data);
        body.insert(body.end(), begin, begin + size);
    };
    Bytes code = first;
    code.insert(code.end(), second.begin(), second.end());
    Elf64_Sym symbols[3]{};
    symbols[1] = {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0, first.size()};
    symbols[2] = {6, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, first.size(), second.size()};
    place(sections[1], SHT_PROGBITS, code.data(), code.size());
    place(sections[2], SHT_SYMTAB, symbols, sizeof(symbols));
    sections[2].sh_link = 3;
    place(sections[3], SHT_STRTAB, names.data(), names.size());
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64, header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = 0x4341;
    header.e_shoff = body.size(), header.e_shentsize = sizeof(Elf64_Shdr), header.e_shnum = 4;
    for (const auto& section : sections) put(body, section);
    std::memcpy(body.data(), &header, sizeof(header));
    return body;
}

aclrtBinHandle load(const Bytes& image) {
    aclrtBinHandle handle = nullptr;
    return aclrtBinaryLoadFromData(image.data(), image.size(), nullptr, &handle) == 0 ? handle : nullptr;
}

aclrtFuncHandle kernel(aclrtBinHandle binary, const char* name) {
    aclrtFuncHandle handle = nullptr;
    CHECK(aclrtBinaryGetFunction(binary, name, &handle) == 0);
    return handle;
}

void* device_words() {
    void* memory = nullptr;
    CHECK(aclrtMalloc(&memory, words * sizeof(std::uint32_t), ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    return memory;
}

bool holds(const void* memory, std::uint32_t number) {
    std::uint32_t found[words] = {};
    CHECK(aclrtMemcpy(found, sizeof(found), memory, sizeof(found), ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    for (std::uint32_t each : found)
        if (each != number) return false;
    return true;
}

/// The arguments of `fill`.
struct Fill {
    void* to;
    std::uint64_t word;
    std::uint64_t count;
};

void test_broken_binaries() {
    const Bytes image = binary();
    std::mt19937 draw(1);
    for (int i = 0; i < 3000; ++i) {
        Bytes broken = image;
        for (unsigned k = 1 + draw() % 4; k > 0; --k) broken[draw() % broken.size()] = static_cast<std::uint8_t>(draw());
        if (draw() % 4 == 0) broken.resize(1 + draw() % broken.size());
        if (aclrtBinHandle handle = load(broken)) CHECK(aclrtBinaryUnLoad(handle) == 0);
    }
}

void test_launches(aclrtStream stream) {
    aclrtBinHandle binary_handle = load(binary());
    aclrtFuncHandle filler = kernel(binary_handle, "fill");
    void* target = device_words();
    void* arguments = device_words();
    Fill values{target, 7, words};
    CHECK(aclrtMemcpy(arguments, sizeof(values), &values, sizeof(values), ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    CHECK(aclrtLaunchKernel(filler, 3, arguments, sizeof(values), stream) == 0);
    CHECK(aclrtSynchronizeStream(stream) == 0 && holds(target, 7));
    values.word = 8;
    CHECK(aclrtLaunchKernelWithHostArgs(filler, 1, stream, nullptr, &values, sizeof(values), nullptr, 0) == 0);
    CHECK(aclrtSynchronizeStream(stream) == 0 && holds(target, 8));
    std::uint32_t word = 9, count = words;
    void* pointers[] = {&target, &word, &count};
    CHECK(aclrtLaunchKernelWithArgsArray(filler, 2, stream, nullptr, pointers) == 0);
    CHECK(aclrtSynchronizeStream(stream) == 0 && holds(target, 9));
    // Arguments that are too few, and memory that is not there, fail the task and nothing else.
    CHECK(aclrtLaunchKernelWithHostArgs(filler, 1, stream, nullptr, &values, 8, nullptr, 0) == 0);
    CHECK(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_AICORE_EXCEPTION);
    values.to = &values;
    CHECK(aclrtLaunchKernelWithHostArgs(filler, 1, stream, nullptr, &values, sizeof(values), nullptr, 0) == 0);
    CHECK(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_AICORE_EXCEPTION);
    CHECK(aclrtBinaryUnLoad(binary_handle) == 0 && aclrtFree(target) == 0 && aclrtFree(arguments) == 0);
}

void test_argument_lists(aclrtStream stream) {
    aclrtBinHandle binary_handle = load(binary());
    aclrtFuncHandle scaler = kernel(binary_handle, "scale");
    void* target = device_words();
    std::size_t handle_bytes = 0, data_bytes = 0;
    CHECK(aclrtKernelArgsGetHandleMemSize(scaler, &handle_bytes) == 0);
    CHECK(aclrtKernelArgsGetMemSize(scaler, 24, &data_bytes) == 0);
    std::vector<std::uint64_t> room((handle_bytes + 7) / 8);
    Bytes data(data_bytes);
    aclrtArgsHandle list = room.data();
    aclrtParamHandle parameter = nullptr;
    void* behind = nullptr;
    CHECK(aclrtKernelArgsInitByUserMem(scaler, list, data.data(), data.size()) == 0);
    CHECK(aclrtKernelArgsAppend(list, &target, sizeof(target), &parameter) == 0);
    CHECK(aclrtKernelArgsAppend(list, &target, sizeof(target), &parameter) == 0);
    CHECK(aclrtKernelArgsAppendPlaceHolder(list, &parameter) == 0);
    CHECK(aclrtKernelArgsGetPlaceHolderBuffer(list, parameter, data_bytes, &behind) != 0);
    CHECK(aclrtKernelArgsGetPlaceHolderBuffer(list, parameter, 8, &behind) == 0);
    const float factor = 0;
    std::memcpy(behind, &factor, sizeof(factor));
    std::memcpy(static_cast<std::uint8_t*>(behind) + 4, &words, sizeof(words));
    CHECK(aclrtLaunchKernelWithConfig(scaler, 1, stream, nullptr, list, nullptr) != 0);
    CHECK(aclrtKernelArgsFinalize(list) == 0);
    const float one = 1;
    for (std::uint32_t i = 0; i < words; ++i)
        CHECK(aclrtMemcpy(static_cast<float*>(target) + i, 4, &one, 4, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    CHECK(aclrtLaunchKernelWithConfig(scaler, 1, stream, nullptr, list, nullptr) == 0);
    CHECK(aclrtSynchronizeStream(stream) == 0 && holds(target, 0));
    CHECK(aclrtKernelArgsFinalize(&data_bytes) != 0 && aclrtKernelArgsFinalize(target) != 0);
    CHECK(aclrtBinaryUnLoad(binary_handle) == 0 && aclrtFree(target) == 0);
}

void test_unloaded_meanwhile(aclrtStream stream) {
    aclrtBinHandle binary_handle = load(binary());
    aclrtFuncHandle filler = kernel(binary_handle, "fill");
    void* target = device_words();
    Fill values{target, 5, words};
    for (int i = 0; i < 50; ++i)
        CHECK(aclrtLaunchKernelWithHostArgs(filler, 1, stream, nullptr, &values, sizeof(values), nullptr, 0) == 0);
    CHECK(aclrtBinaryUnLoad(binary_handle) == 0 && aclrtBinaryUnLoad(binary_handle) != 0);
    CHECK(aclrtLaunchKernelWithHostArgs(filler, 1, stream, nullptr, &values, sizeof(values), nullptr, 0) != 0);
    CHECK(aclrtSynchronizeStream(stream) == 0 && holds(target, 5));
    CHECK(aclrtFree(target) == 0);
}

void test_threads() {
    aclrtBinHandle binary_handle = load(binary());
    const auto work = [binary_handle](std::uint32_t number) {
        CHECK(aclrtSetDevice(0) == 0);
        aclrtStream stream = nullptr;
        CHECK(aclrtCreateStream(&stream) == 0);
        void* target = device_words();
        Fill values{target, number, words};
        for (int i = 0; i < 50; ++i) {
            aclrtFuncHandle filler = kernel(binary_handle, "fill");
            CHECK(aclrtLaunchKernelWithHostArgs(filler, 2, stream, nullptr, &values, sizeof(values), nullptr, 0) == 0);
        }
        CHECK(aclrtSynchronizeStream(stream) == 0 && holds(target, number));
        CHECK(aclrtFree(target) == 0 && aclrtDestroyStream(stream) == 0 && aclrtResetDevice(0) == 0);
    };
    std::thread first(work, 1), second(work, 2);
    first.join(), second.join();
    CHECK(aclrtBinaryUnLoad(binary_handle) == 0);
}

}  // namespace

int main() {
    CHECK(aclrefConfigure("product=910b") == 0 && aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream) == 0);
    test_broken_binaries();
    test_launches(stream);
    test_argument_lists(stream);
    test_unloaded_meanwhile(stream);
    test_threads();
    // A binary that is still loaded goes with its device.
    CHECK(load(binary()) != nullptr);
    CHECK(aclrtDestroyStream(stream) == 0 && aclrtResetDevice(0) == 0 && aclFinalize() == 0 && aclrefReset() == 0);
    return checks::result();
}
