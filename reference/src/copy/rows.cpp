// Strided (2D) copies, synchronous and on a stream.
#include <memory>

#include "base/faults/copy.hpp"
#include "capture/capture.hpp"
#include "copy/copy.hpp"
#include "copy/ends.hpp"
#include "copy/move.hpp"
#include "copy/queue.hpp"

namespace aclref {

namespace {

constexpr std::size_t height_limit = 5242880;
constexpr std::size_t width_limit = 5000000;
constexpr Version pageable_copies_block{8, 3};
constexpr Version device_rows_exist{9, 0};  ///< device to device came to the asynchronous call with 9.0

bool empty(const Rows& rows) { return rows.width == 0 || rows.height == 0; }

aclError check_shape(const Rows& rows, aclrtMemcpyKind kind, bool on_stream, const char* api) {
    if (rows.to == nullptr || rows.from == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %s is null", api, rows.to == nullptr ? "dst" : "src");
    const bool any_width = faulty(Fault::memcpy2d_width_above_pitch) ||
                           (kind == ACL_MEMCPY_DEVICE_TO_HOST && faulty(Fault::memcpy2d_d2h_width_above_pitch)) ||
                           (kind == ACL_MEMCPY_DEVICE_TO_DEVICE && faulty(Fault::memcpy2d_d2d_width_above_pitch));
    if (!any_width) {
        if (rows.width > rows.to_pitch)
            return fail(ACL_ERROR_INVALID_PARAM, "%s: width %zu is above dpitch %zu", api, rows.width, rows.to_pitch);
        if (rows.width > rows.from_pitch)
            return fail(ACL_ERROR_INVALID_PARAM, "%s: width %zu is above spitch %zu", api, rows.width, rows.from_pitch);
    }
    std::size_t highest = height_limit + (faulty(Fault::memcpy2d_height_limit_high) ? 1 : 0) -
                          (faulty(Fault::memcpy2d_height_limit_low) ? 1 : 0);
    if (rows.height > highest)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: height %zu is above %zu", api, rows.height, highest);
    bool width_limited = !on_stream || profile().cann >= Version{9, 0};  // the asynchronous page has it since 9.0
    if (faulty(Fault::memcpy2d_width_limit_to_device_only) && kind == ACL_MEMCPY_DEVICE_TO_HOST) width_limited = false;
    if (width_limited && rows.width > width_limit && !faulty(Fault::memcpy2d_width_limit_ignored))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: width %zu is above %zu", api, rows.width, width_limit);
    return 0;
}

bool copies_rows_on_device() {
    Product product = profile().product;
    if (product != Product::p950 && product != Product::A3 && product != Product::p910b)
        return faulty(Fault::memcpy2d_async_d2d_everywhere);
    return profile().cann >= device_rows_exist;
}

/// The kinds a 2D call takes at all, before anything is known of the addresses. DEFAULT is taken for one of them.
aclError check_kind(aclrtMemcpyKind kind, bool on_stream, const char* api) {
    if (kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_HOST) return 0;
    if (kind == ACL_MEMCPY_DEFAULT && kind_exists(kind)) return 0;
    if (kind == ACL_MEMCPY_DEVICE_TO_DEVICE) {
        if (on_stream && copies_rows_on_device()) return 0;
        if (faulty(Fault::memcpy2d_d2d_accepted)) return 0;
        if (on_stream && profile().cann >= device_rows_exist)
            return fail(faulty(Fault::memcpy2d_async_d2d_wrong_code) ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT
                                                                     : ACL_ERROR_INVALID_PARAM,
                        "%s: device to device is not supported on this product", api);
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: device to device is not supported", api);
    }
    if (kind == ACL_MEMCPY_HOST_TO_HOST && faulty(Fault::memcpy2d_h2h_accepted)) return 0;
    if (kind_exists(kind) && kind > ACL_MEMCPY_DEFAULT && faulty(Fault::memcpy2d_late_kinds_accepted)) return 0;
    return fail(faulty(Fault::memcpy2d_kind_wrong_code) ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_INVALID_PARAM,
                "%s: kind %d is not supported", api, kind);
}

/// The kind against the two addresses: corrected when both are known, refused when pageable memory contradicts it.
aclError check_direction(const Ends& ends, aclrtMemcpyKind kind, bool on_stream, const char* api) {
    if (profile().shares_memory_with_host()) return 0;
    if (ends.host_pair())
        return faulty(Fault::memcpy2d_h2h_accepted)
                   ? 0
                   : fail(ACL_ERROR_RT_PARAM_INVALID, "%s: both addresses are host memory", api);
    if (ends.device_pair()) {
        if (kind == ACL_MEMCPY_DEVICE_TO_DEVICE) return 0;
        if (kind == ACL_MEMCPY_DEFAULT && on_stream && copies_rows_on_device()) return 0;
        if (faulty(Fault::memcpy2d_d2d_accepted)) return 0;
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: both addresses are device memory, kind %d contradicts them", api, kind);
    }
    if (kind == ACL_MEMCPY_DEFAULT || kind == real_kind(ends)) return 0;
    if (ends.pageable() ? !faulty(Fault::memcpy2d_mismatch_accepted) : faulty(Fault::memcpy2d_kind_trusted))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kind %d contradicts the location of the addresses", api, kind);
    return 0;
}

aclError check_planes(const Rows& rows, const Ends& ends, const char* api) {
    std::size_t to_bytes = 0;
    std::size_t from_bytes = 0;
    if (!plane_bytes(rows.to_pitch, rows.width, rows.height, to_bytes) ||
        !plane_bytes(rows.from_pitch, rows.width, rows.height, from_bytes))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: pitch times height does not fit the address space", api);
    if (faulty(Fault::memcpy2d_needs_whole_pitch)) to_bytes = rows.to_pitch * rows.height;
    return check_reach(ends, rows.to, to_bytes, rows.from, from_bytes, api);
}

}  // namespace

aclError copy_rows_now(const Rows& rows, aclrtMemcpyKind kind, const char* api) {
    if (empty(rows) && !faulty(Fault::memcpy2d_empty_refused)) return 0;
    BlockingTransfer transfer;
    if (aclError code = check_kind(kind, false, api)) return code;
    if (aclError code = check_shape(rows, kind, false, api)) return code;
    if (empty(rows)) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: width or height is 0", api);
    aclError code = 0;
    std::shared_ptr<Context> context = require_context(code, api);
    if (code != 0) return code;
    if ((code = capture::check_synchronous(*context, api)) != 0) return code;
    Ends ends = locate_ends(rows.to, rows.from);
    if ((code = check_direction(ends, kind, false, api)) != 0) return code;
    if (faulty(Fault::memcpy2d_pageable_refused) && ends.pageable())
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: host memory is not pinned", api);
    if ((code = check_planes(rows, ends, api)) != 0) return code;
    transfer.begin(context->device().executor(), rows.width * rows.height, ends.crosses_link(), ends.to_host);
    if (faulty(Fault::memcpy2d_returns_early)) {
        Task task;
        task.kind = "copy 2d";
        task.run = [rows, ends] {
            aclError moved = move_rows(rows, ends.route(false));
            return moved == 0 ? Progress::Done() : Progress::Failed(moved);
        };
        if (auto later = context->default_stream()) return later->submit(late(std::move(task)));
    }
    return move_rows(rows, ends.route(true));
}

aclError copy_rows_on_stream(const Rows& rows, aclrtMemcpyKind kind, aclrtStream stream, const char* api) {
    if (empty(rows) && !faulty(Fault::memcpy2d_empty_refused)) return 0;
    if (aclError code = check_kind(kind, true, api)) return code;
    if (aclError code = check_shape(rows, kind, true, api)) return code;
    if (empty(rows)) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: width or height is 0", api);
    if (faulty(Fault::copy_null_stream_refused) && stream == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", api);
    aclError code = 0;
    const bool any_context = faulty(Fault::memcpy2d_async_any_context);
    std::shared_ptr<Stream> queue = any_context ? require_any_stream(stream, code, api) : require_stream(stream, code, api);
    if (code != 0) return code;
    Ends ends = locate_ends(rows.to, rows.from);
    if ((code = check_direction(ends, kind, true, api)) != 0) return code;
    if ((code = check_planes(rows, ends, api)) != 0) return code;
    bool captured = queue->capture.load(std::memory_order_acquire) != nullptr;
    if (captured && ends.pageable() && !faulty(Fault::capture_pageable_accepted) &&
        !faulty(Fault::memcpy2d_pageable_captured))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: host memory of a captured copy has to be pinned", api);

    if (rows.height == 1 && faulty(Fault::memcpy2d_async_one_row_refused))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: one row is no plane", api);
    const bool at_once = faulty(Fault::memcpy2d_async_jumps_the_queue) ||
                         (ends.device_pair() && faulty(Fault::memcpy2d_async_d2d_jumps_the_queue));
    if (faulty(Fault::memcpy2d_async_default_stream_d2h_dropped) && stream == nullptr && ends.to_host) return 0;
    if (at_once && !captured) return move_rows(rows, ends.route(true));
    if (captured && faulty(Fault::capture_rows_run_at_once)) move_rows(rows, ends.route(true));
    // Whether or not this version lets such a copy block, a capture counts it among the calls it forbids.
    if (ends.pageable() && !captured && (code = capture::check_blocking_async(*queue, api)) != 0) return code;
    bool blocks = ends.pageable() && profile().cann >= pageable_copies_block && !captured;
    if (faulty(Fault::memcpy2d_async_pageable_early)) blocks = false;
    if (faulty(Fault::memcpy2d_async_pinned_blocks) && !captured) blocks = true;
    const bool dense = rows.width == rows.to_pitch && rows.width == rows.from_pitch;
    if (dense && rows.height > 1 && faulty(Fault::memcpy2d_async_dense_row_lost))
        return copy_rows_on_stream({rows.to, rows.to_pitch, rows.from, rows.from_pitch, rows.width, rows.height - 1}, kind,
                                   stream, api);
    Task task;
    task.kind = "copy 2d";
    task.bytes = rows.width * rows.height;
    task.crosses_link = ends.crosses_link();
    task.to_host = ends.to_host;
    task.run = [rows, ends, blocks] {
        if (ends.pageable() && !blocks)
            if (aclError changed = check_planes(rows, ends, "2D copy")) return Progress::Failed(changed);
        aclError moved = move_rows(rows, ends.route(blocks));
        return moved == 0 ? Progress::Done() : Progress::Failed(moved);
    };
    if (!blocks) return queue->submit(std::move(task));
    return submit_and_wait(*queue, std::move(task));
}

}  // namespace aclref
