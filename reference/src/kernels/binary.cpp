#include "kernels/binary.hpp"

#include "base/faults/kernels.hpp"
#include "base/live_objects.hpp"
#include "memory/device_memory.hpp"
#include "memory/pages.hpp"
#include "runtime/runtime.hpp"

namespace aclref::kernels {

namespace {

constexpr std::size_t alignment = 64;

const LiveCounter live[] = {
    {"kernel_descriptions", [] { return static_cast<std::uint64_t>(descriptions().size()); }},
    {"kernel_binaries", [] { return static_cast<std::uint64_t>(binaries().size()); }},
};

}  // namespace

DeviceBlock::~DeviceBlock() {
    if (address_ != nullptr) free_device_memory(reinterpret_cast<std::uintptr_t>(address_));
}

aclError DeviceBlock::take(int device, std::size_t bytes) {
    auto memory = DeviceMemory::of(device);
    if (!memory) return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for device %d", device);
    DeviceRequest request;
    request.asked = bytes;
    request.span = round_up(bytes, alignment);
    return memory->allocate(request, &address_, current_function());
}

Binary::Binary(Image what, LoadOptions how, int where) : device(where), options(how), image(std::move(what)) {}

void Binary::retire() {
    std::lock_guard lock(mutex_);
    for (const auto& [name, function] : functions_) functions().remove(function);
    functions_.clear();
}

aclError Binary::place() {
    std::lock_guard lock(mutex_);
    if (bytes_.address() != nullptr) return 0;
    if (aclError code = bytes_.take(device, image.bytes.size())) return code;
    return AddressSpace::instance().copy(bytes_.address(), image.bytes.data(), image.bytes.size(), true);
}

void* Binary::on_device(std::size_t offset) {
    std::lock_guard lock(mutex_);
    return bytes_.address() == nullptr ? nullptr : static_cast<std::byte*>(bytes_.address()) + offset;
}

aclrtFuncHandle Binary::find(const std::string& name) {
    auto known = image.functions.find(name);
    if (known == image.functions.end()) return nullptr;
    return publish(name, known->second, known->second.program.type);
}

aclrtFuncHandle Binary::register_cpu_function(const std::string& name) { return publish(name, {}, ACL_KERNEL_TYPE_AICPU); }

aclrtFuncHandle Binary::publish(const std::string& name, Code code, aclrtKernelType type) {
    std::lock_guard lock(mutex_);
    aclrtFuncHandle& handle = functions_[name];
    if (handle == nullptr)
        handle = functions().add(std::make_shared<Function>(Function{weak_from_this(), name, std::move(code), type}));
    return handle;
}

std::byte* Binary::keep(std::size_t bytes) {
    std::lock_guard lock(mutex_);
    return kept_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(bytes)).get();
}

void Binary::set_exception_callback(aclrtOpExceptionCallback callback, void* user) {
    std::lock_guard lock(mutex_);
    if (callback_ != nullptr && faulty(Fault::binary_callback_first_wins)) return;
    callback_ = callback;
    callback_user_ = user;
}

void Binary::tell_exception(aclrtExceptionInfo& info) {
    aclrtOpExceptionCallback callback = nullptr;
    void* user = nullptr;
    {
        std::lock_guard lock(mutex_);
        callback = callback_;
        user = callback_user_;
    }
    if (callback != nullptr) callback(&info, user);
}

void Binary::keep_failed(std::unique_ptr<DeviceBlock> arguments) {
    std::lock_guard lock(mutex_);
    failed_ = std::move(arguments);
}

void Binary::forget_device() {
    std::lock_guard lock(mutex_);
    bytes_.forget();
    if (failed_) failed_->forget();
}

HandleTable<Description>& descriptions() {
    static auto* table = new HandleTable<Description>;
    return *table;
}

HandleTable<Binary>& binaries() {
    static auto* table = new HandleTable<Binary>;
    return *table;
}

HandleTable<Function>& functions() {
    static auto* table = new HandleTable<Function>;
    return *table;
}

aclError load(std::vector<std::byte> bytes, LoadOptions options, aclrtBinHandle& out) {
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    Image image;
    if (bytes.empty() && faulty(Fault::binary_length_unchecked)) options.lazy = true;
    else if ((code = read_image(std::move(bytes), image))) return code;
    auto binary = std::make_shared<Binary>(std::move(image), options, context->device().id());
    if (!options.lazy || faulty(Fault::binary_lazy_ignored))
        if ((code = binary->place())) return code;
    out = binary->handle = binaries().add(binary);
    return 0;
}

bool unload(aclrtBinHandle handle) {
    auto binary = binaries().remove(handle);
    if (binary) binary->retire();
    return binary != nullptr;
}

void release_binaries(int device) {
    for (const auto& binary : binaries().all()) {
        if (device >= 0 && binary->device != device) continue;
        binary->forget_device();
        unload(binary->handle);
    }
}

void forget_kernels() {
    release_binaries(-1);
    descriptions().clear();
}

}  // namespace aclref::kernels
