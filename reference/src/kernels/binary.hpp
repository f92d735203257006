// Loaded kernel binaries and the functions in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/handle_table.hpp"
#include "kernels/image.hpp"

namespace aclref::kernels {

class Binary;

/// What aclrtCreateBinary describes: bytes that stay the caller's.
struct Description {
    const void* data = nullptr;
    std::size_t size = 0;
};

struct LoadOptions {
    bool lazy = false;
    bool for_cpu = false;
};

/// A kernel by its handle. It holds nothing: a function of an unloaded binary is gone.
struct Function {
    std::weak_ptr<Binary> binary;
    std::string name;
    Code code;
    aclrtKernelType type = ACL_KERNEL_TYPE_AICORE;
};

/// Memory of a device, given back with the object; nothing happens once the device's memory was released.
class DeviceBlock {
public:
    DeviceBlock() = default;
    ~DeviceBlock();
    DeviceBlock(const DeviceBlock&) = delete;
    DeviceBlock& operator=(const DeviceBlock&) = delete;
    aclError take(int device, std::size_t bytes);
    void forget() { address_ = nullptr; }
    void* address() const { return address_; }

private:
    void* address_ = nullptr;
};

class Binary : public std::enable_shared_from_this<Binary> {
public:
    Binary(Image image, LoadOptions options, int device);

    const int device;
    const LoadOptions options;
    const Image image;
    aclrtBinHandle handle = nullptr;

    /// Copies the bytes to the device, unless they are there. 0 or a recorded code.
    aclError place();
    /// Device address of a byte of the file; null until the bytes are there.
    void* on_device(std::size_t offset);
    /// The function of this name, always under the same handle; null when there is none.
    aclrtFuncHandle find(const std::string& name);
    /// A function of the processor of the device, under its operator type.
    aclrtFuncHandle register_cpu_function(const std::string& name);

    /// Memory of the library in which an argument list can live until the binary goes.
    std::byte* keep(std::size_t bytes);

    void set_exception_callback(aclrtOpExceptionCallback callback, void* user);
    void tell_exception(aclrtExceptionInfo& info);
    /// The arguments of a kernel that failed stay on the device for those who hear of it.
    void keep_failed(std::unique_ptr<DeviceBlock> arguments);

    /// The device's memory was released, and this binary's with it.
    void forget_device();
    /// Its functions are no kernels any more.
    void retire();

private:
    aclrtFuncHandle publish(const std::string& name, Code code, aclrtKernelType type);
    std::mutex mutex_;
    DeviceBlock bytes_;
    std::unique_ptr<DeviceBlock> failed_;
    std::map<std::string, aclrtFuncHandle> functions_;
    std::vector<std::unique_ptr<std::byte[]>> kept_;
    aclrtOpExceptionCallback callback_ = nullptr;
    void* callback_user_ = nullptr;
};

HandleTable<Description>& descriptions();
HandleTable<Binary>& binaries();
HandleTable<Function>& functions();

/// Loads bytes for the current device. 0 or a recorded code.
aclError load(std::vector<std::byte> bytes, LoadOptions options, aclrtBinHandle& out);

/// False for a handle of no loaded binary. Kernels that are under way still end.
bool unload(aclrtBinHandle handle);

/// Binaries of a device go with it; -1: those of all devices.
void release_binaries(int device);

/// Drops everything of this folder that is still alive.
void forget_kernels();

}  // namespace aclref::kernels
