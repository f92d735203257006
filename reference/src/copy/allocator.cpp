#include "copy/allocator.hpp"

#include <mutex>
#include <unordered_map>

#include "base/faults/copy.hpp"
#include "base/handle_table.hpp"

namespace aclref {

namespace {

struct Tables {
    std::mutex mutex;
    std::unordered_map<aclrtAllocatorDesc, AllocatorHooks> descriptors;
    std::unordered_map<aclrtStream, RegisteredAllocator> registrations;
};

Tables& tables() {
    // Never destroyed: exit handlers of the caller may still unregister.
    static Tables* all = new Tables;
    return *all;
}

}  // namespace

aclrtAllocatorDesc create_allocator_descriptor() {
    aclrtAllocatorDesc descriptor = new_handle_value();
    std::scoped_lock lock(tables().mutex);
    if (faulty(Fault::allocator_descriptor_shared) && !tables().descriptors.empty())
        return tables().descriptors.begin()->first;
    tables().descriptors.emplace(descriptor, AllocatorHooks{});
    return descriptor;
}

bool destroy_allocator_descriptor(aclrtAllocatorDesc descriptor) {
    std::scoped_lock lock(tables().mutex);
    if (faulty(Fault::allocator_destroy_drops_registration))
        std::erase_if(tables().registrations,
                      [descriptor](const auto& entry) { return entry.second.descriptor == descriptor; });
    return tables().descriptors.erase(descriptor) != 0;
}

bool change_allocator_descriptor(aclrtAllocatorDesc descriptor, void (*change)(AllocatorHooks& hooks, void* value),
                                 void* value) {
    std::scoped_lock lock(tables().mutex);
    auto found = tables().descriptors.find(descriptor);
    if (found == tables().descriptors.end()) return false;
    change(found->second, value);
    if (faulty(Fault::allocator_registration_follows_descriptor))
        for (auto& [stream, registered] : tables().registrations)
            if (registered.descriptor == descriptor) registered.hooks = found->second;
    return true;
}

std::optional<AllocatorHooks> allocator_descriptor(aclrtAllocatorDesc descriptor) {
    std::scoped_lock lock(tables().mutex);
    auto found = tables().descriptors.find(descriptor);
    if (found == tables().descriptors.end()) return std::nullopt;
    return found->second;
}

void register_allocator(aclrtStream stream, const RegisteredAllocator& registered) {
    std::scoped_lock lock(tables().mutex);
    if (faulty(Fault::allocator_first_wins) && tables().registrations.contains(stream)) return;
    if (faulty(Fault::allocator_shared_by_streams))
        for (auto& entry : tables().registrations) entry.second = registered;
    if (faulty(Fault::allocator_for_32_streams) && tables().registrations.size() >= 32 &&
        !tables().registrations.contains(stream))
        tables().registrations.erase(tables().registrations.begin());
    tables().registrations.insert_or_assign(stream, registered);
}

std::optional<RegisteredAllocator> registered_allocator(aclrtStream stream) {
    std::scoped_lock lock(tables().mutex);
    auto found = tables().registrations.find(stream);
    if (found == tables().registrations.end()) return std::nullopt;
    return found->second;
}

void unregister_allocator(aclrtStream stream) {
    if (faulty(Fault::allocator_unregister_ignored)) return;
    std::scoped_lock lock(tables().mutex);
    const auto found = tables().registrations.find(stream);
    if (found == tables().registrations.end()) return;
    const aclrtAllocatorDesc descriptor = found->second.descriptor;
    tables().registrations.erase(found);
    if (faulty(Fault::allocator_unregister_by_descriptor))
        std::erase_if(tables().registrations,
                      [descriptor](const auto& entry) { return entry.second.descriptor == descriptor; });
}

std::size_t allocator_descriptor_count() {
    std::scoped_lock lock(tables().mutex);
    return tables().descriptors.size();
}

std::size_t registered_allocator_count() {
    std::scoped_lock lock(tables().mutex);
    return tables().registrations.size();
}

void forget_allocators() {
    std::scoped_lock lock(tables().mutex);
    tables().descriptors.clear();
    tables().registrations.clear();
}

}  // namespace aclref
