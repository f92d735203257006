// Allocators that callers register for streams, for single-operator execution and dynamic-shape models.
#pragma once

#include <cstddef>
#include <optional>

#include "acl/acl_rt_allocator.h"
#include "base/errors.hpp"

namespace aclref {

/// What a descriptor holds; null where nothing was set.
struct AllocatorHooks {
    aclrtAllocator object = nullptr;
    aclrtAllocatorAllocFunc allocate = nullptr;
    aclrtAllocatorFreeFunc release = nullptr;
    aclrtAllocatorAllocAdviseFunc allocate_at = nullptr;
    aclrtAllocatorGetAddrFromBlockFunc address_of = nullptr;
};

/// A registration: the hooks as they were at that moment and the descriptor they came from.
struct RegisteredAllocator {
    aclrtAllocatorDesc descriptor = nullptr;
    AllocatorHooks hooks;
};

aclrtAllocatorDesc create_allocator_descriptor();
bool destroy_allocator_descriptor(aclrtAllocatorDesc descriptor);

/// Changes the hooks of a descriptor under its lock. False when the descriptor is not alive.
bool change_allocator_descriptor(aclrtAllocatorDesc descriptor, void (*change)(AllocatorHooks& hooks, void* value),
                                 void* value);
std::optional<AllocatorHooks> allocator_descriptor(aclrtAllocatorDesc descriptor);

/// The stream handle is a key only: a registration outlives its stream until it is removed.
void register_allocator(aclrtStream stream, const RegisteredAllocator& registered);
std::optional<RegisteredAllocator> registered_allocator(aclrtStream stream);
void unregister_allocator(aclrtStream stream);

/// Live descriptors and registrations, for the leak check.
std::size_t allocator_descriptor_count();
std::size_t registered_allocator_count();

void forget_allocators();

}  // namespace aclref
