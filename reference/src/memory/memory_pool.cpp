#include "memory/memory_pool.hpp"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/faults/memory.hpp"
#include "base/profile.hpp"
#include "memory/device_memory.hpp"
#include "memory/foreign.hpp"
#include "memory/range_allocator.hpp"
#include "memory/regions.hpp"
#include "runtime/stream.hpp"

namespace aclref {

namespace {

AddressSpace::Impl& space() { return AddressSpace::instance().impl(); }

/// Whether the stream has come as far as the call that freed a block.
using Passed = std::shared_ptr<std::atomic<bool>>;

constexpr std::int32_t no_stream = -1;

/// Memory of the pool that no block uses.
struct FreePiece {
    std::size_t size = 0;
    std::int32_t stream = no_stream;  ///< id of the stream whose order the release follows
    Passed passed;
    std::uint64_t order = 0;                 ///< of the release among all of them

    bool settled() const { return !passed || passed->load(std::memory_order_acquire); }
};

/// Whether work that follows on the stream may have the piece without waiting.
bool open_to(const FreePiece& piece, std::int32_t stream) { return piece.settled() || piece.stream == stream; }

/// Whose release speaks for two joined pieces: the one still to come, and of two the later one.
bool later(const FreePiece& one, const FreePiece& other) {
    if (one.settled() != other.settled()) return other.settled();
    return one.order > other.order;
}

struct Block {
    std::size_t size = 0;
    std::size_t counted = 0;  ///< as used
    std::uint64_t serial = 0;
    std::int32_t stream = no_stream;  ///< that asked for it; for a fault
};

/// For a fault: the streams that have waited for an event.
struct Waiters {
    std::mutex mutex;
    std::set<std::int32_t> streams;
};

Waiters& waiters() {
    static auto* instance = new Waiters;
    return *instance;
}

bool has_waited(const Stream& stream) {
    std::lock_guard lock(waiters().mutex);
    return waiters().streams.contains(stream.id());
}

std::uint64_t next_serial() {
    static constinit std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

/// Places are offsets into the pool's own arena, in steps of 2 MiB. A place is fresh (no pages), free or in a block.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
public:
    MemoryPool(int device, std::size_t max_size)
        : device(device), max_size_(max_size), arena_(std::make_shared<ArenaMapping>(
              round_up(2 * max_size + huge_page, GiB), profile().shares_memory_with_host())),
          fresh_(0, 2 * max_size), threshold_(faulty(Fault::pool_keeps_by_default) ? max_size : 0) {
        const auto begin = reinterpret_cast<std::uintptr_t>(arena_->shown);
        space().add_window({begin, begin + arena_->size, device});
    }
    ~MemoryPool() {
        drop_everything();
        space().drop_window(reinterpret_cast<std::uintptr_t>(arena_->shown));
    }

    std::size_t max_size() const { return max_size_; }
    bool busy() const {
        std::lock_guard lock(mutex_);
        return !blocks_.empty();
    }
    aclError allocate(std::size_t size, Stream& stream, void** out, const char* api);
    aclError release(std::uintptr_t base, Stream* stream);
    aclError set(aclrtMemPoolAttr attribute, const void* value, const char* api);
    aclError get(aclrtMemPoolAttr attribute, void* value, const char* api);
    void trim(std::size_t keep);
    void settle();
    void drop_everything();

    const int device;
    aclrtMemPool handle = nullptr;

private:
    using Pieces = std::map<std::size_t, FreePiece>;
    std::uintptr_t address(std::size_t place) const { return reinterpret_cast<std::uintptr_t>(arena_->shown) + place; }
    std::size_t place(std::uintptr_t base) const { return base - reinterpret_cast<std::uintptr_t>(arena_->shown); }
    Pieces::iterator best(std::size_t size, const Stream& stream);
    bool grow(std::size_t size, const Stream& stream);
    void trim_locked(std::size_t keep);
    void join_neighbours(std::int32_t stream);
    void add_reserved(std::size_t bytes, bool more);
    Region region_of(std::size_t start, std::size_t size, std::size_t asked, std::uint64_t serial) const;
    void take_over(std::size_t start, std::size_t size, std::size_t asked, std::uint64_t serial);
    void retire(std::size_t start, std::size_t size, std::uint64_t serial);

    const std::size_t max_size_;
    std::shared_ptr<ArenaMapping> arena_;
    mutable std::mutex mutex_;
    RangeAllocator fresh_;
    Pieces pieces_;
    std::map<std::size_t, Block> blocks_;
    std::uint32_t follow_events_ = 0;
    std::uint32_t opportunistic_ = 0;
    std::uint32_t internal_ = 0;
    std::uint64_t threshold_;
    std::uint64_t reserved_ = 0;
    std::uint64_t reserved_high_ = 0;
    std::uint64_t used_ = 0;
    std::uint64_t used_high_ = 0;
    std::uint64_t epoch_ = 0;  ///< of the charged pages
    bool refused_ = false;     ///< set by a fault only
    std::int32_t first_stream_ = no_stream;  ///< that asked for a block; for faults
};

namespace {

HandleTable<MemoryPool>& pools() {
    static auto* table = new HandleTable<MemoryPool>;
    return *table;
}

aclError no_pool(aclrtMemPool pool, const char* api) {
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is no live memory pool", api, pool);
}

aclError unreachable(const void* value, const char* api) {
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the value at %p is out of reach", api, value);
}

/// The pool that has a block at this address.
std::shared_ptr<MemoryPool> owner_of(std::uintptr_t base) {
    auto region = space().find(base);
    if (!region || region->source != Source::pool || region->base != base) return nullptr;
    return std::const_pointer_cast<MemoryPool>(std::static_pointer_cast<const MemoryPool>(region->hold));
}

}  // namespace

Region MemoryPool::region_of(std::size_t start, std::size_t size, std::size_t asked, std::uint64_t serial) const {
    Region region;
    region.base = address(start);
    region.span = size;
    region.located = {MemoryKind::device, device, region.base, asked};
    region.source = Source::pool;
    region.bytes = arena_->bytes + start;
    region.hold = shared_from_this();
    region.page = huge_page;
    region.serial = serial;
    return region;
}

/// The place now belongs to a new block. What work queued before it still needs of an older block stays usable.
void MemoryPool::take_over(std::size_t start, std::size_t size, std::size_t asked, std::uint64_t serial) {
    std::unique_lock lock(space().mutex);
    auto& regions = space().regions;
    const std::uintptr_t begin = address(start);
    const std::uintptr_t end = begin + size;
    auto next = regions.upper_bound(begin);
    if (next != regions.begin() && std::prev(next)->second.end() > begin) --next;
    while (next != regions.end() && next->first < end) {
        const Region old = std::move(next->second);
        next = regions.erase(next);
        if (old.base < begin)
            regions.insert_or_assign(old.base, region_of(place(old.base), begin - old.base, begin - old.base, old.serial));
        if (old.end() > end)
            regions.insert_or_assign(end, region_of(place(end), old.end() - end, old.end() - end, old.serial));
    }
    regions.insert_or_assign(begin, region_of(start, size, asked, serial));
}

/// The stream has passed the release: what is still there of the block has no memory for copies any more.
void MemoryPool::retire(std::size_t start, std::size_t size, std::uint64_t serial) {
    std::unique_lock lock(space().mutex);
    auto& regions = space().regions;
    for (auto next = regions.lower_bound(address(start)); next != regions.end() && next->first < address(start) + size;)
        next = next->second.serial == serial ? regions.erase(next) : std::next(next);
}

void MemoryPool::add_reserved(std::size_t bytes, bool more) {
    reserved_ = more ? reserved_ + bytes : reserved_ - bytes;
    reserved_high_ = std::max(reserved_high_, reserved_);
}

/// The smallest piece that this stream may have: one whose release it follows anyway or that has been passed; with
/// internal dependencies any other as well, and the caller makes the stream wait.
MemoryPool::Pieces::iterator MemoryPool::best(std::size_t size, const Stream& stream) {
    auto chosen = pieces_.end();
    for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
        const FreePiece& one = piece->second;
        if (one.size < size) continue;
        if (faulty(Fault::pool_never_reuses) && one.order != 0) continue;
        const bool anyway = faulty(Fault::pool_reuses_before_release) ||
                            (one.size > size && faulty(Fault::pool_splits_before_release)) ||
                            (follow_events_ != 0 && faulty(Fault::pool_event_reuse_without_event)) ||
                            (follow_events_ != 0 && faulty(Fault::pool_event_reuse_by_earlier_wait) && has_waited(stream));
        if (!open_to(one, stream.id()) && internal_ == 0 && !anyway) continue;
        if (chosen == pieces_.end() || one.size < chosen->second.size) chosen = piece;
    }
    return chosen;
}

bool MemoryPool::grow(std::size_t size, const Stream& stream) {
    const bool limited = !faulty(Fault::pool_maximum_ignored);
    const bool again = faulty(Fault::pool_maximum_per_stream) && stream.id() != first_stream_;
    const std::size_t most = again ? 2 * max_size_ : max_size_;
    if (limited && reserved_ + size > most) trim_locked(size > most ? 0 : most - size);
    if (limited && reserved_ + size > most) return false;
    auto memory = DeviceMemory::of(device);
    DevicePages pages{device, PageKind::huge, size, 0, 0};
    if (!memory || !memory->charge(pages)) return false;
    auto start = fresh_.allocate(size, huge_page);
    if (!start) {
        memory->uncharge(pages);
        return false;
    }
    epoch_ = pages.epoch;
    if (!faulty(Fault::pool_reserved_not_counted)) add_reserved(size, true);
    pieces_.emplace(*start, FreePiece{size, no_stream, nullptr, 0});
    return true;
}

aclError MemoryPool::allocate(std::size_t size, Stream& stream, void** out, const char* api) {
    Passed awaited;
    {
        std::lock_guard lock(mutex_);
        if (size > max_size_ && faulty(Fault::pool_refusal_sticks)) refused_ = true;
        if ((size > max_size_ && !faulty(Fault::pool_maximum_ignored)) || refused_)
            return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: %zu bytes are more than the pool may have", api, size);
        const std::size_t needed = round_up(size, huge_page);
        if (first_stream_ == no_stream) first_stream_ = stream.id();
        auto chosen = best(needed, stream);
        if (chosen == pieces_.end()) {
            join_neighbours(stream.id());
            chosen = best(needed, stream);
        }
        if (chosen == pieces_.end() && grow(needed, stream)) chosen = best(needed, stream);
        if (chosen == pieces_.end())
            return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: the pool has no %zu bytes left", api, size);
        const std::size_t start = chosen->first;
        FreePiece piece = std::move(chosen->second);
        pieces_.erase(chosen);
        const bool waits = internal_ != 0 && !faulty(Fault::pool_internal_reuse_without_wait);
        if (waits && !open_to(piece, stream.id())) awaited = piece.passed;
        if (piece.size > needed && !faulty(Fault::pool_split_loses_rest)) {
            FreePiece rest = piece;
            rest.size -= needed;
            pieces_.emplace(start + needed, std::move(rest));
        }
        const std::uint64_t serial = next_serial();
        std::size_t counted = faulty(Fault::pool_counts_asked_bytes) ? size : needed;
        if (faulty(Fault::pool_counts_first_stream) && stream.id() != first_stream_) counted = 0;
        blocks_.emplace(start, Block{needed, counted, serial, stream.id()});
        used_ += counted;
        used_high_ = std::max(used_high_, used_);
        take_over(start, needed, size, serial);
        *out = reinterpret_cast<void*>(address(faulty(Fault::pool_blocks_overlap) ? blocks_.begin()->first : start));
    }
    if (!awaited) return ACL_SUCCESS;
    Task wait;
    wait.kind = "pool wait";
    wait.capturable = false;
    wait.run = [awaited] { return awaited->load(std::memory_order_acquire) ? Progress::Done() : Progress::Waiting(); };
    return stream.submit(std::move(wait));
}

aclError MemoryPool::release(std::uintptr_t base, Stream* stream) {
    auto passed = std::make_shared<std::atomic<bool>>(stream == nullptr);
    std::size_t start = 0;
    Block block;
    {
        std::lock_guard lock(mutex_);
        start = place(base);
        auto found = blocks_.find(start);
        if (found == blocks_.end()) return ACL_ERROR_RT_PARAM_INVALID;
        block = found->second;
        blocks_.erase(found);
        if (!faulty(Fault::pool_used_not_lowered)) used_ -= block.counted;
        if (faulty(Fault::pool_peak_follows_current)) used_high_ = used_;
        if (faulty(Fault::pool_free_clears)) std::memset(arena_->bytes + start, 0, block.size);
        std::int32_t follows = stream ? stream->id() : no_stream;
        if (faulty(Fault::pool_free_follows_first_stream)) follows = block.stream;
        pieces_.emplace(start, FreePiece{block.size, follows, passed, next_serial()});
    }
    if (stream == nullptr) {
        retire(start, block.size, block.serial);
        settle();
        return ACL_SUCCESS;
    }
    Task task;
    task.kind = "pool free";
    task.capturable = false;
    auto finish = [self = shared_from_this(), start, block, passed] {
        self->retire(start, block.size, block.serial);
        passed->store(true, std::memory_order_release);
        self->settle();
        // Other streams may wait for exactly this.
        wake_all_executors();
    };
    task.run = [finish] {
        finish();
        return Progress::Done();
    };
    // A stream that drops its work will not come past the release either.
    task.dropped = [finish](aclError) { finish(); };
    const aclError code = stream->submit(std::move(task));
    if (code != ACL_SUCCESS) finish();
    const bool waits = faulty(Fault::pool_free_waits) ||
                       (block.size >= 256 * MiB && faulty(Fault::pool_free_of_large_waits));
    if (waits) return stream->synchronize(std::chrono::milliseconds(-1));
    return code;
}

/// Joins neighbours that the stream may have both of; for no stream, those that anybody may have.
void MemoryPool::join_neighbours(std::int32_t stream) {
    for (auto piece = pieces_.begin(); piece != pieces_.end();) {
        auto next = std::next(piece);
        if (next == pieces_.end() || piece->first + piece->second.size != next->first || !open_to(piece->second, stream) ||
            !open_to(next->second, stream)) {
            piece = next;
            continue;
        }
        const std::size_t size = piece->second.size + next->second.size;
        if (later(next->second, piece->second)) piece->second = std::move(next->second);
        piece->second.size = size;
        pieces_.erase(next);
    }
}

/// Gives unused memory above `keep` back to the device, highest places first.
void MemoryPool::trim_locked(std::size_t keep) {
    join_neighbours(no_stream);
    auto memory = DeviceMemory::of(device);
    for (auto piece = pieces_.end(); piece != pieces_.begin() && reserved_ > keep;) {
        --piece;
        if (!piece->second.settled()) continue;
        const std::size_t surplus = round_down(reserved_ - keep, huge_page);
        const std::size_t part = std::min(piece->second.size, surplus);
        if (part == 0) return;
        piece->second.size -= part;
        const std::size_t start = piece->first + piece->second.size;
        fallocate(arena_->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(start),
                  static_cast<off_t>(part));
        fresh_.release(start, part);
        add_reserved(part, false);
        if (memory) memory->uncharge({device, PageKind::huge, part, 0, epoch_});
        if (piece->second.size == 0) piece = pieces_.erase(piece);
    }
}

void MemoryPool::trim(std::size_t keep) {
    std::lock_guard lock(mutex_);
    if (faulty(Fault::pool_trim_takes_used))
        for (const auto& [start, block] : blocks_) std::memset(arena_->bytes + start, 0, block.size);
    if (faulty(Fault::pool_trim_clears_pending))
        for (const auto& [start, piece] : pieces_)
            if (!piece.settled()) std::memset(arena_->bytes + start, 0, piece.size);
    if (faulty(Fault::pool_trim_to_threshold)) keep = std::max<std::size_t>(keep, threshold_);
    if (!faulty(Fault::pool_trim_ignored)) trim_locked(keep);
}

/// A release was passed: what the pool holds above its threshold goes back to the device.
void MemoryPool::settle() {
    std::lock_guard lock(mutex_);
    if (reserved_ > threshold_ || faulty(Fault::pool_threshold_ignored))
        trim_locked(faulty(Fault::pool_threshold_ignored) ? 0 : threshold_);
}

void MemoryPool::drop_everything() {
    {
        std::unique_lock lock(space().mutex);
        auto& regions = space().regions;
        for (auto next = regions.lower_bound(address(0)); next != regions.end() && next->first < address(arena_->size);)
            next = regions.erase(next);
    }
    std::lock_guard lock(mutex_);
    auto memory = DeviceMemory::of(device);
    if (memory && reserved_ != 0) memory->uncharge({device, PageKind::huge, reserved_, 0, epoch_});
    reserved_ = 0;
    used_ = 0;
    pieces_.clear();
    blocks_.clear();
}

aclError MemoryPool::set(aclrtMemPoolAttr attribute, const void* value, const char* api) {
    std::lock_guard lock(mutex_);
    if (faulty(Fault::pool_attributes_unchecked) && attribute != ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD)
        return ACL_SUCCESS;
    auto switch_to = [&](std::uint32_t& target) {
        std::uint32_t wanted = 0;
        if (!read_foreign(&wanted, value, sizeof(wanted))) return unreachable(value, api);
        if (wanted > 1) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: a switch is 0 or 1, not %u", api, wanted);
        target = wanted;
        return aclError{ACL_SUCCESS};
    };
    std::uint64_t number = 0;
    switch (attribute) {
        case ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES: return switch_to(follow_events_);
        case ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC: return switch_to(opportunistic_);
        case ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES: return switch_to(internal_);
        case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
            if (!read_foreign(&number, value, sizeof(number))) return unreachable(value, api);
            if (number > max_size_)
                return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the threshold is above the pool's maximum", api);
            if (faulty(Fault::pool_threshold_in_32_bits)) number &= UINT32_MAX;
            if (threshold_ == 0 || !faulty(Fault::pool_first_attribute_wins)) threshold_ = number;
            return ACL_SUCCESS;
        case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
        case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
            if (!read_foreign(&number, value, sizeof(number))) return unreachable(value, api);
            if (number != 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: a peak can only be set to 0", api);
            // The peak since now: it never reads below what is held at the moment.
            if (attribute == ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH) used_high_ = used_;
            else reserved_high_ = reserved_;
            return ACL_SUCCESS;
        case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
        case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT:
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attribute %d can only be read", api, attribute);
    }
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attribute %d is not defined", api, attribute);
}

aclError MemoryPool::get(aclrtMemPoolAttr attribute, void* value, const char* api) {
    std::lock_guard lock(mutex_);
    if (faulty(Fault::pool_unset_attribute_refused) && threshold_ == 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attribute %d was never set", api, attribute);
    auto write = [&](auto number) {
        const std::uint64_t wide = number;
        const std::size_t size = faulty(Fault::pool_switch_as_64_bits) ? sizeof(wide) : sizeof(number);
        return write_foreign(value, &wide, size) ? aclError{ACL_SUCCESS} : unreachable(value, api);
    };
    const std::uint64_t told = faulty(Fault::pool_figures_in_32_bits) ? UINT32_MAX : UINT64_MAX;
    switch (attribute) {
        case ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES: return write(follow_events_);
        case ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC: return write(opportunistic_);
        case ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES: return write(internal_);
        case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD: return write(threshold_);
        case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT: return write(reserved_ & told);
        case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH: return write(reserved_high_ & told);
        case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT: return write(used_ & told);
        case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH: return write(used_high_ & told);
    }
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attribute %d is not defined", api, attribute);
}

namespace {

aclError check_properties(const aclrtMemPoolProps& properties, const char* api) {
    if (faulty(Fault::pool_properties_unchecked)) return ACL_SUCCESS;
    if (properties.allocType != ACL_MEM_ALLOCATION_TYPE_PINNED)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: allocation type %d is not supported", api, properties.allocType);
    if (properties.handleType != ACL_MEM_HANDLE_TYPE_NONE)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: handle type %d is not supported", api, properties.handleType);
    if (properties.location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: location type %d is not supported", api, properties.location.type);
    const auto* reserved = std::begin(properties.reserved);
    if (std::any_of(reserved, std::end(properties.reserved), [](unsigned char byte) { return byte != 0; }))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: a reserved byte is not 0", api);
    return ACL_SUCCESS;
}

}  // namespace

aclError create_memory_pool(const aclrtMemPoolProps& properties, aclrtMemPool& out, const char* api) {
    if (aclError code = check_properties(properties, api)) return code;
    if (faulty(Fault::pool_one_at_a_time) && pools().size() != 0)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: there is a pool already", api);
    if (properties.location.id >= static_cast<std::uint32_t>(Runtime::instance().device_count()))
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: there is no device %u", api, properties.location.id);
    const int device = faulty(Fault::pool_location_ignored) ? 0 : static_cast<int>(properties.location.id);
    auto memory = DeviceMemory::of(device);
    if (!memory) return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no memory for device %d", api, device);
    const std::size_t total = memory->all().total;
    if (properties.maxSize > total && !faulty(Fault::pool_larger_than_device))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu bytes are more than the device has", api, properties.maxSize);
    std::shared_ptr<MemoryPool> pool;
    try {
        pool = std::make_shared<MemoryPool>(device, properties.maxSize == 0 ? total : properties.maxSize);
    } catch (const std::bad_alloc&) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no addresses for a pool of %zu bytes", api, properties.maxSize);
    }
    pool->handle = pools().add(pool);
    out = faulty(Fault::pool_create_gives_nothing) ? nullptr : pool->handle;
    return ACL_SUCCESS;
}

aclError destroy_memory_pool(aclrtMemPool handle, const char* api) {
    auto pool = pools().find(handle);
    if (!pool) return no_pool(handle, api);
    if (pool->busy()) return fail(ACL_ERROR_RT_INTERNAL_ERROR, "%s: the pool has blocks in use", api);
    if (!pools().remove(handle)) return no_pool(handle, api);
    if (faulty(Fault::pool_destroy_keeps_memory)) {
        static auto* kept = new std::vector<std::shared_ptr<MemoryPool>>;
        kept->push_back(pool);
        return ACL_SUCCESS;
    }
    pool->trim(0);
    return ACL_SUCCESS;
}

aclError set_memory_pool_attribute(aclrtMemPool handle, aclrtMemPoolAttr attribute, const void* value, const char* api) {
    auto pool = pools().find(handle);
    if (pool && faulty(Fault::pool_threshold_of_all) && attribute == ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD)
        for (const auto& other : pools().all()) other->set(attribute, value, api);
    return pool ? pool->set(attribute, value, api) : no_pool(handle, api);
}

aclError get_memory_pool_attribute(aclrtMemPool handle, aclrtMemPoolAttr attribute, void* value, const char* api) {
    auto pool = pools().find(handle);
    return pool ? pool->get(attribute, value, api) : no_pool(handle, api);
}

aclError trim_memory_pool(aclrtMemPool handle, std::size_t keep, const char* api) {
    auto pool = pools().find(handle);
    if (!pool) return no_pool(handle, api);
    if (keep > pool->max_size() && faulty(Fault::pool_trim_large_refused))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu bytes are more than the pool has", api, keep);
    if (faulty(Fault::pool_trim_takes_every_pool))
        for (const auto& other : pools().all()) other->trim(keep);
    pool->trim(keep);
    return ACL_SUCCESS;
}

aclError allocate_from_pool(aclrtMemPool handle, std::size_t size, aclrtStream stream, void** out, const char* api) {
    aclError code = 0;
    auto target = require_stream(stream, code, api);
    if (!target) return code;
    auto pool = pools().find(handle);
    if (!pool) return no_pool(handle, api);
    if (size == 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: size is 0", api);
    if (target->device().id() != pool->device)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the pool belongs to device %d", api, pool->device);
    const bool waits = faulty(Fault::pool_malloc_waits) ||
                       (size > 8 * MiB && faulty(Fault::pool_malloc_of_large_waits));
    if (waits) target->synchronize(std::chrono::milliseconds(-1));
    return pool->allocate(size, *target, out, api);
}

aclError free_to_pool(void* pointer, aclrtStream stream, const char* api) {
    aclError code = 0;
    auto target = require_stream(stream, code, api);
    if (!target) return code;
    const auto base = reinterpret_cast<std::uintptr_t>(pointer);
    auto pool = owner_of(base);
    if (pool) code = pool->release(base, target.get());
    if (!pool || code == ACL_ERROR_RT_PARAM_INVALID)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: no block of a pool starts at %p", api, pointer);
    return code;
}

bool free_pool_memory(std::uintptr_t base) {
    auto pool = owner_of(base);
    return pool && pool->release(base, nullptr) == ACL_SUCCESS;
}

void note_event_wait(const Stream& stream) {
    std::lock_guard lock(waiters().mutex);
    waiters().streams.insert(stream.id());
}

std::size_t memory_pool_count() { return pools().size(); }

void release_memory_pools(int device) {
    for (const auto& pool : pools().all()) {
        if (device >= 0 && pool->device != device) continue;
        pools().remove(pool->handle);
        pool->drop_everything();
    }
}

}  // namespace aclref
