// Batches: many copies between the host and one device in one call, in one direction and in no promised order.
#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "base/faults/copy.hpp"
#include "capture/capture.hpp"
#include "copy/copy.hpp"
#include "copy/ends.hpp"
#include "copy/move.hpp"
#include "copy/queue.hpp"
#include "memory/pages.hpp"

namespace aclref {

namespace {

constexpr std::size_t piece_limit = 4096;            ///< of the synchronous call
constexpr Version pageable_batches_block{8, 5};

struct Piece {
    void* to;
    const void* from;
    std::size_t bytes;
    Ends ends;
};

/// Reports which piece is to blame; SIZE_MAX where none is.
void blame(const Batch& batch, std::size_t index) {
    if (batch.fail_index == nullptr) return;
    if (index != SIZE_MAX && faulty(Fault::batch_fail_index_wrong)) ++index;
    if (index != SIZE_MAX && faulty(Fault::batch_fail_index_within_attribute) && batch.attribute_count > 1 &&
        index >= batch.attribute_starts[1])
        index -= batch.attribute_starts[1];
    if (index != SIZE_MAX && faulty(Fault::batch_fail_index_in_8_bits)) index %= 256;
    if (index == SIZE_MAX && faulty(Fault::batch_fail_index_kept)) return;
    *batch.fail_index = index;
}

aclError check_arrays(const Batch& batch, const char* api) {
    struct {
        const void* array;
        const char* name;
    } const arrays[] = {{batch.to, "dsts"},          {batch.rooms, "destMaxs"},
                        {batch.from, "srcs"},        {batch.attributes, "attrs"},
                        {batch.attribute_starts, "attrsIndexes"}};
    for (const auto& given : arrays)
        if (given.array == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: %s is null", api, given.name);
    return 0;
}

/// For faults: whether a broken library leaves out the look at the room of this copy.
bool room_ignored(const Batch& batch, std::size_t index) {
    return faulty(Fault::batch_room_ignored) || (index == 0 && faulty(Fault::batch_first_room_ignored)) ||
           (faulty(Fault::batch_d2h_room_ignored) && AddressSpace::instance().locate(batch.to[index]).on_host());
}

aclError check_sizes(const Batch& batch, const char* api) {
    for (std::size_t i = 0; i < batch.count; ++i) {
        if (batch.sizes[i] > batch.rooms[i] && !room_ignored(batch, i))
            return fail(ACL_ERROR_INVALID_PARAM, "%s: sizes[%zu] is %zu, above destMaxs[%zu] %zu", api, i, batch.sizes[i],
                        i, batch.rooms[i]);
        if (faulty(Fault::batch_room_checked_late) && batch.to[i] && batch.from[i])
            AddressSpace::instance().copy(batch.to[i], batch.from[i], batch.sizes[i]);
        if (batch.sizes[i] == 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: sizes[%zu] is 0", api, i);
    }
    return 0;
}

aclError check_attribute_ranges(const Batch& batch, const char* api) {
    if (faulty(Fault::batch_attribute_ranges_unchecked) && batch.attribute_count > 0) return 0;
    if (batch.attribute_count == 0 || batch.attribute_count > batch.count)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: numAttrs %zu does not fit %zu copies", api, batch.attribute_count,
                    batch.count);
    if (batch.attribute_starts[0] != 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attrsIndexes[0] is %zu, it has to be 0", api,
                    batch.attribute_starts[0]);
    for (std::size_t k = 0; k < batch.attribute_count; ++k) {
        if (k > 0 && batch.attribute_starts[k] <= batch.attribute_starts[k - 1])
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attrsIndexes[%zu] does not increase", api, k);
        if (batch.attribute_starts[k] >= batch.count)
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attrsIndexes[%zu] is %zu, behind the last of %zu copies", api, k,
                        batch.attribute_starts[k], batch.count);
    }
    return 0;
}

aclError check_reserved(const Batch& batch, const char* api) {
    if (faulty(Fault::batch_reserved_ignored)) return 0;
    for (std::size_t k = 0; k < batch.attribute_count; ++k)
        for (std::uint8_t byte : batch.attributes[k].rsv)
            if (byte != 0)
                return fail(ACL_ERROR_INVALID_PARAM, "%s: the reserved bytes of attrs[%zu] are not 0", api, k);
    return 0;
}

bool matches(const aclrtMemLocation& claimed, const Located& real, bool on_host) {
    if (faulty(Fault::batch_location_ignored)) return true;
    if (on_host) return claimed.type == ACL_MEM_LOCATION_TYPE_HOST;
    if (claimed.type != ACL_MEM_LOCATION_TYPE_DEVICE) return false;
    return faulty(Fault::batch_device_id_ignored) || claimed.id == static_cast<std::uint32_t>(real.device);
}

/// Checks one piece against its attributes and against the first piece; a failure is this piece's.
aclError check_piece(const Piece& piece, const aclrtMemcpyBatchAttr& attribute, const Piece& first, std::size_t index,
                     const char* api) {
    if (piece.to == nullptr || piece.from == nullptr)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s[%zu] is null", api, piece.to == nullptr ? "dsts" : "srcs", index);
    const bool compared = !(faulty(Fault::batch_d2h_location_ignored) && piece.ends.to_host) &&
                          !(faulty(Fault::batch_pageable_location_ignored) && piece.ends.pageable());
    if (compared && (!matches(attribute.dstLoc, piece.ends.to, piece.ends.to_host) ||
                     !matches(attribute.srcLoc, piece.ends.from, piece.ends.from_host)))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the attributes of copy %zu contradict its addresses", api, index);
    if (!piece.ends.crosses_link() && !faulty(Fault::batch_same_side_accepted))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: copy %zu is not between the host and a device", api, index);
    if (piece.ends.to_host != first.ends.to_host && !faulty(Fault::batch_mixed_accepted))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: copy %zu goes the other way, a batch has one direction", api, index);
    if (std::max(piece.ends.to.device, piece.ends.from.device) != std::max(first.ends.to.device, first.ends.from.device))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: copy %zu concerns another device", api, index);
    return 0;
}

/// Checks everything that can be checked before a byte moves. `pieces` stays empty for a batch of nothing.
aclError plan(const Batch& batch, bool on_stream, std::vector<Piece>& pieces, const char* api) {
    if (batch.sizes == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: sizes is null", api);
    if (faulty(Fault::batch_shape_unchecked) && (batch.count == 0 || batch.attribute_count == 0)) return 0;
    if (batch.count == 0) return fail(ACL_ERROR_INVALID_PARAM, "%s: numBatches is 0", api);
    if (std::all_of(batch.sizes, batch.sizes + batch.count, [](std::size_t size) { return size == 0; }) &&
        !faulty(Fault::batch_empty_refused))
        return 0;
    if (aclError code = check_arrays(batch, api)) return code;
    if (aclError code = check_sizes(batch, api)) return code;
    if (aclError code = check_attribute_ranges(batch, api)) return code;
    if (aclError code = check_reserved(batch, api)) return code;
    bool clamped = faulty(Fault::batch_clamped);
    const std::size_t most = piece_limit - (faulty(Fault::batch_limit_one_low) ? 1 : 0);
    if (!on_stream && batch.count > most && !clamped && !faulty(Fault::batch_limit_ignored))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu copies are above the limit of %zu", api, batch.count, piece_limit);
    std::size_t count = clamped ? std::min(batch.count, piece_limit) : batch.count;

    pieces.reserve(count);
    std::size_t attribute = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t late = faulty(Fault::batch_attribute_one_late) ? 1 : 0;
        if (attribute + 1 < batch.attribute_count && batch.attribute_starts[attribute + 1] + late == i) ++attribute;
        std::size_t governing = faulty(Fault::batch_first_attribute_only) ? 0 : attribute;
        if (faulty(Fault::batch_sixteen_attributes_only)) governing = std::min<std::size_t>(governing, 15);
        pieces.push_back({batch.to[i], batch.from[i], batch.sizes[i], locate_ends(batch.to[i], batch.from[i])});
        aclError code = check_piece(pieces.back(), batch.attributes[governing], pieces.front(), i, api);
        if (code != 0) {
            blame(batch, i);
            return code;
        }
    }
    for (const Piece& piece : pieces)
        if (aclError code = check_reach(piece.ends, piece.to, piece.bytes, piece.from, piece.bytes, api)) return code;
    const auto unlike_first = [&](const Piece& piece) { return piece.ends.pageable() != pieces.front().ends.pageable(); };
    if (faulty(Fault::batch_unlike_host_memory_refused) && std::any_of(pieces.begin(), pieces.end(), unlike_first))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: pinned and pageable host memory in one batch", api);
    if (faulty(Fault::batch_source_moved_once)) {
        std::set<const void*> moved;
        std::erase_if(pieces, [&](const Piece& piece) { return !moved.insert(piece.from).second; });
    }
    // The order is nobody's to rely on: it is drawn from the seed.
    std::shuffle(pieces.begin(), pieces.end(), std::mt19937_64(profile().seed + count));
    if (faulty(Fault::batch_1025th_piece_lost) && pieces.size() > 1024) pieces.erase(pieces.begin() + 1024);
    if (faulty(Fault::batch_v2_last_piece_lost) && batch.fail_index == nullptr && pieces.size() > 1) pieces.pop_back();
    if (faulty(Fault::batch_piece_lost) && pieces.size() > 1) pieces.pop_back();
    const Ends& ends = pieces.front().ends;
    if (faulty(Fault::batch_of_second_device_dropped) && std::max(ends.to.device, ends.from.device) > 0) pieces.clear();
    for (Piece& piece : pieces) {
        if (faulty(Fault::batch_first_size_for_all)) piece.bytes = std::min(piece.bytes, batch.sizes[0]);
        const bool among_others = pieces.size() > 1 && !piece.ends.pageable();
        if (faulty(Fault::batch_pieces_cut_at_1_mib) && among_others) piece.bytes = std::min(piece.bytes, MiB);
        const bool to_pinned = piece.ends.to_host && !piece.ends.pageable();
        if (faulty(Fault::batch_d2h_pieces_cut_at_2_mib) && to_pinned) piece.bytes = std::min(piece.bytes, 2 * MiB);
        if (faulty(Fault::batch_pieces_cut_at_64k)) piece.bytes = std::min<std::size_t>(piece.bytes, 64 * 1024);
    }
    return 0;
}

aclError move_pieces(const std::vector<Piece>& pieces, bool recheck, bool steady) {
    for (const Piece& piece : pieces) {
        if (recheck)
            if (aclError code = check_reach(piece.ends, piece.to, piece.bytes, piece.from, piece.bytes, "batch")) return code;
        if (aclError code = move_bytes(piece.to, piece.from, piece.bytes, piece.ends.route(steady))) return code;
    }
    return 0;
}

std::size_t total_bytes(const std::vector<Piece>& pieces) {
    return std::accumulate(pieces.begin(), pieces.end(), std::size_t{0},
                           [](std::size_t sum, const Piece& piece) { return sum + piece.bytes; });
}

}  // namespace

aclError copy_batch_now(const Batch& batch, const char* api) {
    BlockingTransfer transfer;
    blame(batch, SIZE_MAX);
    std::vector<Piece> pieces;
    if (aclError code = plan(batch, false, pieces, api)) return code;
    if (pieces.empty()) return 0;
    const bool pageable = pieces.front().ends.pageable();
    if (pageable && batch.fail_index == nullptr && faulty(Fault::batch_v2_pageable_refused))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: host memory is not pinned", api);
    aclError code = 0;
    std::shared_ptr<Context> context = require_context(code, api);
    if (code != 0) return code;
    if ((code = capture::check_synchronous(*context, api)) != 0) return code;
    transfer.begin(context->device().executor(), total_bytes(pieces), true, pieces.front().ends.to_host);
    return move_pieces(pieces, false, true);
}

aclError copy_batch_on_stream(const Batch& batch, aclrtStream stream, const char* api) {
    blame(batch, SIZE_MAX);
    auto pieces = std::make_shared<std::vector<Piece>>();
    if (aclError code = plan(batch, true, *pieces, api)) return code;
    if (pieces->empty()) return 0;
    if (faulty(Fault::copy_null_stream_refused) && stream == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", api);
    aclError code = 0;
    std::shared_ptr<Stream> queue = require_stream(stream, code, api);
    if (code != 0) return code;
    if (faulty(Fault::batch_default_stream_d2h_dropped) && stream == nullptr && pieces->front().ends.to_host) return 0;
    bool pageable = std::any_of(pieces->begin(), pieces->end(), [](const Piece& piece) { return piece.ends.pageable(); });
    bool captured = queue->capture.load(std::memory_order_acquire) != nullptr;
    if (captured && pageable && !faulty(Fault::capture_pageable_accepted) && !faulty(Fault::batch_pageable_captured))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: host memory of a captured copy has to be pinned", api);
    // Whether or not this version lets such a copy block, a capture counts it among the calls it forbids.
    if (pageable && !captured && (code = capture::check_blocking_async(*queue, api)) != 0) return code;
    if (captured && faulty(Fault::capture_batch_runs_at_once)) move_pieces(*pieces, false, true);
    bool blocks = pageable && profile().cann >= pageable_batches_block && !captured;
    if (faulty(Fault::batch_async_pageable_early)) blocks = false;
    if (faulty(Fault::batch_async_pinned_blocks) && !captured) blocks = true;
    Task task;
    task.kind = "copy batch";
    task.bytes = total_bytes(*pieces);
    task.crosses_link = true;
    task.to_host = pieces->front().ends.to_host;
    task.run = [pieces, pageable, blocks] {
        aclError moved = move_pieces(*pieces, pageable && !blocks, blocks);
        return moved == 0 ? Progress::Done() : Progress::Failed(moved);
    };
    if (!blocks) return queue->submit(std::move(task));
    return submit_and_wait(*queue, std::move(task));
}

}  // namespace aclref
