#include "memory/device_variables.hpp"

#include <map>
#include <mutex>
#include <vector>

#include "base/faults/memory.hpp"
#include "memory/device_memory.hpp"
#include "runtime/runtime.hpp"

namespace aclref {

namespace {

constexpr std::size_t variable_alignment = 64;

struct Variable {
    std::vector<std::byte> initial;
    std::map<int, std::uintptr_t> addresses;  ///< by device
};

struct Variables {
    std::mutex mutex;
    std::map<const void*, Variable> known;
};

Variables& variables() {
    static auto* instance = new Variables;
    return *instance;
}

aclError lay_out(const Variable& variable, int device, std::uintptr_t& address, const char* api) {
    auto memory = DeviceMemory::of(device);
    if (!memory) return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no memory for device %d", api, device);
    std::vector<std::byte> bytes = variable.initial;
    if (faulty(Fault::symbol_starts_cleared)) bytes.assign(bytes.size(), std::byte{0});
    DeviceRequest request;
    request.asked = variable.initial.size();
    request.span = round_up(request.asked, variable_alignment);
    void* place = nullptr;
    if (aclError code = memory->allocate(request, &place, api)) return code;
    address = reinterpret_cast<std::uintptr_t>(place);
    return AddressSpace::instance().copy(place, bytes.data(), bytes.size(), true);
}

}  // namespace

bool add_device_variable(const void* symbol, std::size_t size, const void* initial) {
    if (symbol == nullptr || size == 0) return false;
    const auto* bytes = static_cast<const std::byte*>(initial);
    Variable made;
    if (bytes) made.initial.assign(bytes, bytes + size);
    else made.initial.resize(size);
    std::lock_guard lock(variables().mutex);
    return variables().known.emplace(symbol, std::move(made)).second;
}

bool remove_device_variable(const void* symbol) {
    std::lock_guard lock(variables().mutex);
    auto found = variables().known.find(symbol);
    if (found == variables().known.end()) return false;
    for (const auto& [device, address] : found->second.addresses) free_device_memory(address);
    variables().known.erase(found);
    return true;
}

aclError find_device_variable(const void* symbol, DeviceVariable& out, const char* api) {
    aclError code = 0;
    auto context = require_context(code, api);
    if (!context) return code;
    std::lock_guard lock(variables().mutex);
    auto found = variables().known.find(symbol);
    if (found == variables().known.end()) {
        const bool wrong = faulty(Fault::symbol_unknown_wrong_code);
        return fail(wrong ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_INVALID_SYMBOL, "%s: %p is no device variable", api,
                    symbol);
    }
    Variable& variable = found->second;
    const int device = faulty(Fault::symbol_of_first_device) ? 0 : context->device().id();
    auto place = variable.addresses.find(device);
    if (place == variable.addresses.end()) {
        std::uintptr_t address = 0;
        if (code = lay_out(variable, device, address, api); code != 0) return code;
        place = variable.addresses.emplace(device, address).first;
    }
    out = {place->second, variable.initial.size()};
    return ACL_SUCCESS;
}

void forget_device_variables(int device) {
    std::lock_guard lock(variables().mutex);
    if (device < 0) variables().known.clear();
    for (auto& [symbol, variable] : variables().known) variable.addresses.erase(device);
}

}  // namespace aclref
