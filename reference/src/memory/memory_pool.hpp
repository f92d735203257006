// Stream-ordered memory pools.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_rt_memory_soma.h"
#include "base/errors.hpp"

namespace aclref {

class Stream;

aclError create_memory_pool(const aclrtMemPoolProps& properties, aclrtMemPool& out, const char* api);
aclError destroy_memory_pool(aclrtMemPool pool, const char* api);
aclError set_memory_pool_attribute(aclrtMemPool pool, aclrtMemPoolAttr attribute, const void* value, const char* api);
aclError get_memory_pool_attribute(aclrtMemPool pool, aclrtMemPoolAttr attribute, void* value, const char* api);
aclError trim_memory_pool(aclrtMemPool pool, std::size_t keep, const char* api);

/// A block for work that follows on the stream; known at return, usable in stream order.
aclError allocate_from_pool(aclrtMemPool pool, std::size_t size, aclrtStream stream, void** out, const char* api);
/// Gives the block back once the stream has come this far.
aclError free_to_pool(void* pointer, aclrtStream stream, const char* api);
/// aclrtFree of a pool block: it goes back at once. False when no pool block starts there.
bool free_pool_memory(std::uintptr_t base);

/// For a fault: the stream has been told to wait for an event.
void note_event_wait(const Stream& stream);

std::size_t memory_pool_count();
/// Drops pools of the device; all of them for -1.
void release_memory_pools(int device);

}  // namespace aclref
