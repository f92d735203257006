// Chapter 14: kernel binaries, from the file or the bytes to the handle and back.
#include <cstring>
#include <elf.h>

#include "base/faults/kernels.hpp"
#include "base/regular_file.hpp"
#include "kernels/binary.hpp"
#include "kernels/require.hpp"
#include "models/caller_array.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using kernels::LoadOptions;

namespace {

constexpr std::size_t most_options = 64;
constexpr std::size_t longest_binary = std::size_t{1} << 30;

aclError read_options(const aclrtBinaryLoadOptions* options, LoadOptions& out) {
    if (options == nullptr) return 0;
    std::vector<aclrtBinaryLoadOptions> own;
    if (aclError code = read_array(options, 1, own)) return code;
    if (own[0].numOpt > most_options) return refuse(ACL_ERROR_RT_PARAM_INVALID, "%zu options", own[0].numOpt);
    std::vector<aclrtBinaryLoadOption> list;
    if (own[0].numOpt != 0)
        if (aclError code = read_array(own[0].options, own[0].numOpt, list)) return code;
    for (const auto& option : list) {
        switch (option.type) {
            case ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD: out.lazy = option.value.isLazyLoad != 0; break;
            case ACL_RT_BINARY_LOAD_OPT_MAGIC: break;
            case ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE: out.for_cpu = true; break;
            default: return refuse(ACL_ERROR_RT_PARAM_INVALID, "there is no option %d", option.type);
        }
    }
    return 0;
}

/// Only a fault asks.
bool begins_like_a_binary(const void* data, std::size_t size) {
    std::vector<std::byte> head;
    return size < SELFMAG || (read_array(data, SELFMAG, head) == 0 && std::memcmp(head.data(), ELFMAG, SELFMAG) == 0);
}

aclError load_bytes(const void* data, std::size_t length, LoadOptions options, aclrtBinHandle& out) {
    if (length == 0 && !faulty(Fault::binary_length_unchecked))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the length is 0");
    if (length > longest_binary) return refuse(ACL_ERROR_RT_PARAM_INVALID, "%zu bytes are no kernel binary", length);
    std::vector<std::byte> bytes;
    if (aclError code = read_array(data, length, bytes)) return code;
    return kernels::load(std::move(bytes), options, out);
}

}  // namespace

extern "C" {

aclrtBinary aclrtCreateBinary(const void* data, size_t dataLen) {
    if (enter(Function::aclrtCreateBinary) != 0) return nullptr;
    if (data == nullptr && !faulty(Fault::kernel_null_accepted)) return nullptr;
    if (faulty(Fault::binary_description_inspects) && !begins_like_a_binary(data, dataLen)) return nullptr;
    return kernels::descriptions().add(std::make_shared<kernels::Description>(kernels::Description{data, dataLen}));
}

aclError aclrtDestroyBinary(aclrtBinary binary) {
    ACLREF_ENTER(aclrtDestroyBinary);
    ACLREF_REQUIRE_KERNEL(binary);
    if (kernels::descriptions().remove(binary)) return 0;
    return refuse(ACL_ERROR_INVALID_PARAM, "binary is not alive");
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle* binHandle) {
    ACLREF_ENTER(aclrtBinaryLoad);
    ACLREF_REQUIRE_KERNEL(binary);
    ACLREF_REQUIRE_KERNEL(binHandle);
    auto found = kernels::descriptions().find(binary);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "binary is not alive");
    return load_bytes(found->data, found->size, {}, *binHandle);
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle) {
    ACLREF_ENTER(aclrtBinaryUnLoad);
    ACLREF_REQUIRE_KERNEL(binHandle);
    if (kernels::unload(binHandle) || faulty(Fault::binary_unloaded_twice)) return 0;
    return refuse(ACL_ERROR_RT_INVALID_HANDLE, "binHandle is no loaded binary");
}

aclError aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions* options, aclrtBinHandle* binHandle) {
    ACLREF_ENTER(aclrtBinaryLoadFromFile);
    ACLREF_REQUIRE_KERNEL(binPath);
    ACLREF_REQUIRE_KERNEL(binHandle);
    LoadOptions chosen;
    if (aclError code = read_options(options, chosen)) return code;
    std::vector<std::byte> bytes;
    if (!read_regular_file(binPath, bytes) || bytes.empty()) {
        if (faulty(Fault::binary_missing_file_loads)) return *binHandle = new_handle_value(), 0;
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "%s is no file that can be read", binPath);
    }
    return kernels::load(std::move(bytes), chosen, *binHandle);
}

aclError aclrtBinaryLoadFromData(const void* data, size_t length, const aclrtBinaryLoadOptions* options,
                                 aclrtBinHandle* binHandle) {
    ACLREF_ENTER(aclrtBinaryLoadFromData);
    ACLREF_REQUIRE_KERNEL(data);
    ACLREF_REQUIRE_KERNEL(binHandle);
    LoadOptions chosen;
    if (aclError code = read_options(options, chosen)) return code;
    return load_bytes(data, length, chosen, *binHandle);
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char* kernelName, aclrtFuncHandle* funcHandle) {
    ACLREF_ENTER(aclrtBinaryGetFunction);
    ACLREF_REQUIRE_KERNEL(binHandle);
    ACLREF_REQUIRE_KERNEL(kernelName);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    aclError code = 0;
    auto binary = kernels::require_binary(binHandle, code);
    if (!binary) return code;
    aclrtFuncHandle found = binary->find(kernelName);
    if (found == nullptr && faulty(Fault::binary_unknown_kernel_found) && !binary->image.functions.empty())
        found = binary->find(binary->image.functions.begin()->first);
    if (found == nullptr) return refuse(ACL_ERROR_RT_KERNEL_LOOKUP, "the binary has no kernel %s", kernelName);
    if ((code = binary->place())) return code;
    *funcHandle = found;
    return 0;
}

aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle* funcHandle) {
    ACLREF_ENTER(aclrtBinaryGetFunctionByEntry);
    ACLREF_REQUIRE_KERNEL(binHandle);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    return refuse(ACL_ERROR_RT_KERNEL_LOOKUP, "kernels have names here, and no entry %llu",
                  static_cast<unsigned long long>(funcEntry));
}

aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, void** binAddr, size_t* binSize) {
    ACLREF_ENTER(aclrtBinaryGetDevAddress);
    ACLREF_REQUIRE_KERNEL(binHandle);
    ACLREF_REQUIRE_KERNEL(binAddr);
    ACLREF_REQUIRE_KERNEL(binSize);
    aclError code = 0;
    auto binary = kernels::require_binary(binHandle, code);
    if (!binary) return code;
    *binAddr = binary->on_device(0);
    *binSize = binary->image.bytes.size();
    return 0;
}

aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char* name, void** dptr, size_t* size) {
    ACLREF_ENTER(aclrtBinaryGetGlobal);
    ACLREF_REQUIRE_KERNEL(binHandle);
    ACLREF_REQUIRE_KERNEL(name);
    if (dptr == nullptr && size == nullptr && !faulty(Fault::global_needs_no_output))
        return refuse(ACL_ERROR_INVALID_PARAM, "dptr and size are both NULL");
    aclError code = 0;
    auto binary = kernels::require_binary(binHandle, code);
    if (!binary) return code;
    auto found = binary->image.globals.find(name);
    if (found == binary->image.globals.end())
        return refuse(ACL_ERROR_RT_SYMBOL_NOT_FOUND, "the binary has no global variable %s", name);
    if ((code = binary->place())) return code;
    if (dptr != nullptr) *dptr = binary->on_device(faulty(Fault::global_at_start) ? 0 : found->second.offset);
    if (size != nullptr) *size = found->second.size;
    return 0;
}

aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle, aclrtOpExceptionCallback callback, void* userData) {
    ACLREF_ENTER(aclrtBinarySetExceptionCallback);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, binHandle);
    ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_RT_PARAM_INVALID, callback);
    aclError code = 0;
    auto binary = kernels::require_binary(binHandle, code);
    if (!binary) return code;
    binary->set_exception_callback(callback, userData);
    return 0;
}

}  // extern "C"
