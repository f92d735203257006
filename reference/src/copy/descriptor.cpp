// Copies inside one device whose operands stand in device memory: in a descriptor, or behind two pointer slots.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "base/faults/copy.hpp"
#include "copy/copy.hpp"
#include "copy/ends.hpp"
#include "copy/move.hpp"

namespace aclref {

namespace {

constexpr std::size_t descriptor_alignment = 64;
constexpr std::size_t count_limit = std::size_t{4} << 30;
constexpr std::size_t offset_limit = 0xFFFFFFFFFFFF;  ///< 48 bits
constexpr std::uint64_t descriptor_mark = 0x43534544'5950434d;  ///< a launch of anything else is refused

/// What a descriptor looks like in device memory.
struct Descriptor {
    std::uint64_t mark;
    std::uint64_t from;
    std::uint64_t to;
    std::uint64_t count;
    std::uint64_t check;  ///< so that a descriptor overwritten in part is not followed
    std::uint64_t unused[3];

    std::uint64_t sum() const { return mark ^ from * 3 ^ to * 5 ^ count * 7; }
};
static_assert(sizeof(Descriptor) == 64);

/// For a fault: the stream that a descriptor was first launched on.
const void*& stream_of(const void* descriptor) {
    static std::map<const void*, const void*> streams;
    return streams[descriptor];
}

bool device_memory(const Located& located) { return !located.on_host() && located.kind != MemoryKind::reserved; }

aclError check_descriptor_place(const void* descriptor, bool write, int device, const char* api) {
    if (descriptor == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: desc is null", api);
    if (reinterpret_cast<std::uintptr_t>(descriptor) % descriptor_alignment != 0 &&
        !faulty(Fault::descriptor_alignment_ignored))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: desc is not aligned to %zu bytes", api, descriptor_alignment);
    if (!device_memory(AddressSpace::instance().locate(descriptor)) && !faulty(Fault::descriptor_on_host_accepted))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: desc is not device memory", api);
    return AddressSpace::instance().check_range(descriptor, sizeof(Descriptor), write, device);
}

/// A copy inside the device whose addresses are known only now, when it runs.
Progress run_device_copy(void* to, const void* from, std::size_t count, int device) {
    const AddressSpace& space = AddressSpace::instance();
    if (aclError code = space.check_range(from, count, false, device)) return Progress::Failed(code);
    if (aclError code = space.check_range(to, count, true, device)) return Progress::Failed(code);
    aclError code = move_bytes(to, from, count, Route{});
    return code == 0 ? Progress::Done() : Progress::Failed(code);
}

}  // namespace

std::size_t copy_descriptor_size() {
    static std::size_t asked = 0;
    return sizeof(Descriptor) + (faulty(Fault::descriptor_size_varies) ? 64 * (asked++ % 2) : 0);
}

aclError write_copy_descriptor(void* descriptor, void* from, void* to, std::size_t count, const char* api) {
    if (from == nullptr || to == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %s is null", api, from == nullptr ? "srcAddr" : "dstAddr");
    if (count == 0 && !faulty(Fault::descriptor_zero_accepted))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: count is 0", api);
    if (count > count_limit && !faulty(Fault::descriptor_count_unlimited))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count %zu is above 4 GiB", api, count);
    if (count >= 4096 && faulty(Fault::descriptor_large_refused))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count %zu is too large", api, count);
    aclError code = 0;
    std::shared_ptr<Context> context = require_context(code, api);
    if (code != 0) return code;
    int device = context->device().id();
    if ((code = check_descriptor_place(descriptor, true, device, api)) != 0) return code;
    Ends ends = locate_ends(to, from);
    for (const Located* end : {&ends.to, &ends.from})
        if ((!device_memory(*end) || end->device != device) && !faulty(Fault::descriptor_foreign_addresses))
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: source and destination have to be memory of device %d", api,
                        device);
    Descriptor written{descriptor_mark, reinterpret_cast<std::uint64_t>(from), reinterpret_cast<std::uint64_t>(to), count, 0,
                       {}};
    if (faulty(Fault::descriptor_count_plus_one)) ++written.count;
    const bool looks_back = faulty(Fault::descriptor_keeps_first) || faulty(Fault::descriptor_rewrite_refused) ||
                            faulty(Fault::descriptor_never_grows);
    if (looks_back) {
        Descriptor earlier{};
        AddressSpace::instance().copy(&earlier, descriptor, sizeof earlier, true);
        const bool set = earlier.mark == descriptor_mark && earlier.check == earlier.sum();
        if (set && faulty(Fault::descriptor_keeps_first)) return 0;
        if (set && faulty(Fault::descriptor_rewrite_refused))
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the descriptor is set already", api);
        if (set && faulty(Fault::descriptor_never_grows)) written.count = std::min(written.count, earlier.count);
    }
    written.check = written.sum();
    if (faulty(Fault::descriptor_bound_to_stream)) stream_of(descriptor) = nullptr;
    if (faulty(Fault::descriptor_overwrites_neighbour)) {
        Descriptor other{};
        std::byte* before = static_cast<std::byte*>(descriptor) - sizeof other;
        AddressSpace::instance().copy(&other, before, sizeof other, true);
        if (other.mark == descriptor_mark) AddressSpace::instance().copy(before, &written, sizeof written, true);
    }
    return AddressSpace::instance().copy(descriptor, &written, sizeof written, true);
}

aclError copy_described(void* descriptor, aclrtStream stream, const char* api) {
    if (descriptor == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: desc is null", api);
    if (stream == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", api);
    aclError code = 0;
    std::shared_ptr<Stream> queue = require_stream(stream, code, api);
    if (code != 0) return code;
    int device = queue->device().id();
    if ((code = check_descriptor_place(descriptor, false, device, api)) != 0) return code;
    if (faulty(Fault::descriptor_bound_to_stream)) {
        const void*& bound = stream_of(descriptor);
        if (bound == nullptr) bound = stream;
        if (bound != stream) return 0;
    }
    Task task;
    task.kind = "copy by descriptor";
    if (profile().timing) {
        // How long it takes is settled when it is launched; a descriptor that changes until it runs is not timed anew.
        Descriptor now{};
        if (AddressSpace::instance().copy(&now, descriptor, sizeof now, true) == 0 && now.mark == descriptor_mark)
            task.bytes = now.count;
    }
    task.run = [descriptor, device] {
        Descriptor read{};
        const AddressSpace& space = AddressSpace::instance();
        if (aclError changed = space.check_range(descriptor, sizeof read, false, device)) return Progress::Failed(changed);
        if (aclError failed = AddressSpace::instance().copy(&read, descriptor, sizeof read, true))
            return Progress::Failed(failed);
        if (read.mark != descriptor_mark || read.check != read.sum())
            return Progress::Failed(fail(ACL_ERROR_RT_SYS_DMA, "the descriptor was never set, or overwritten"));
        return run_device_copy(reinterpret_cast<void*>(read.to), reinterpret_cast<const void*>(read.from), read.count,
                               device);
    };
    if (faulty(Fault::descriptor_used_once)) {
        auto run = std::move(task.run);
        task.run = [run, descriptor] {
            Progress progress = run();
            AddressSpace::instance().fill(descriptor, 0, sizeof(Descriptor));
            return progress;
        };
    }
    if (faulty(Fault::descriptor_copy_blocks)) {
        if ((code = queue->synchronize()) != 0) return code;
        Progress progress = task.run();
        return progress.code;
    }
    return queue->submit(std::move(task));
}

aclError copy_indirect(const IndirectCopy& given, aclrtStream stream, const char* api) {
    IndirectCopy copy = given;
    if (copy.to == nullptr || copy.from == nullptr)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s is null", api, copy.to == nullptr ? "dst" : "src");
    const bool limited = !faulty(Fault::offset_copy_limits_ignored);
    if (limited && (copy.to_offset > offset_limit || copy.from_offset > offset_limit))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: an offset is above 48 bits", api);
    if (!faulty(Fault::offset_copy_room_ignored)) {
        if (copy.to_offset >= copy.room)
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: dstDataOffset %zu is not below destMax %zu", api, copy.to_offset,
                        copy.room);
        if (copy.count > copy.room - copy.to_offset)
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count %zu does not fit behind dstDataOffset %zu in destMax %zu", api,
                        copy.count, copy.to_offset, copy.room);
    }
    if (limited && copy.count > count_limit) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count %zu is above 4 GiB", api, copy.count);
    aclError code = 0;
    std::shared_ptr<Stream> queue = require_stream(stream, code, api);
    if (code != 0) return code;
    int device = queue->device().id();
    AddressSpace& space = AddressSpace::instance();
    if (faulty(Fault::offset_copy_slots_rounded)) {
        const auto border = [](auto* slot) {
            return reinterpret_cast<decltype(slot)>(reinterpret_cast<std::uintptr_t>(slot) & ~std::uintptr_t{63});
        };
        copy.to = border(copy.to), copy.from = border(copy.from);
    }
    if ((code = space.check_range(copy.to, sizeof(void*), false, device)) != 0) return code;
    if ((code = space.check_range(copy.from, sizeof(void*), false, device)) != 0) return code;
    Task task;
    task.kind = "copy with offset";
    task.bytes = copy.count;
    task.run = [copy, device] {
        std::byte* to = nullptr;
        const std::byte* from = nullptr;
        AddressSpace& slots = AddressSpace::instance();
        for (const void* slot : {static_cast<const void*>(copy.to), static_cast<const void*>(copy.from)})
            if (aclError changed = slots.check_range(slot, sizeof(void*), false, device)) return Progress::Failed(changed);
        if (aclError failed = slots.copy(&to, copy.to, sizeof to)) return Progress::Failed(failed);
        if (aclError failed = slots.copy(&from, copy.from, sizeof from)) return Progress::Failed(failed);
        std::size_t to_offset = faulty(Fault::offset_copy_offsets_swapped) ? copy.from_offset : copy.to_offset;
        std::size_t from_offset = faulty(Fault::offset_copy_offsets_swapped) ? copy.to_offset : copy.from_offset;
        if (faulty(Fault::offset_copy_offsets_in_22_bits)) to_offset &= 0x3FFFFF, from_offset &= 0x3FFFFF;
        if (faulty(Fault::offset_copy_source_offset_lost) && to_offset == 0) from_offset = 0;
        return run_device_copy(to + to_offset, from + from_offset, copy.count, device);
    };
    if (faulty(Fault::offset_copy_blocks)) {
        if ((code = queue->synchronize()) != 0) return code;
        return task.run().code;
    }
    return queue->submit(std::move(task));
}

}  // namespace aclref
