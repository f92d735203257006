// Tasks that the device does by itself: values written and waited for, overflow flags, reductions, random numbers.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "memory/address_space.hpp"
#include "memory/regions.hpp"
#include "base/faults/runtime.hpp"
#include "runtime/runtime.hpp"
#include "runtime/stream.hpp"
#include "tasks/random.hpp"
#include "tasks/reduce.hpp"

using namespace aclref;

namespace {

/// Other devices, the host and other processes may change a watched word without telling us.
constexpr auto watch_period = std::chrono::microseconds(200);

constexpr std::size_t overflow_bytes = 64;
constexpr std::uint64_t most_reduced_bytes = std::uint64_t{4} << 30;

aclError check_device_word(const void* address) {
    Located at = AddressSpace::instance().locate(address);
    if (at.on_host() && !faulty(Fault::value_host_accepted)) return refuse(ACL_ERROR_RT_PARAM_INVALID, "devAddr is not device memory");
    return AddressSpace::instance().check_range(address, sizeof(std::uint64_t), true, at.device);
}

bool condition_holds(std::uint64_t memory, std::uint64_t value, std::uint32_t flag) {
    if (faulty(Fault::value_wait_ignored)) return true;
    if (faulty(Fault::value_wait_low_half)) memory &= UINT32_MAX, value &= UINT32_MAX;
    switch (flag) {
        case ACL_STREAM_WAIT_VALUE_GEQ:
            if (faulty(Fault::value_wait_unsigned)) return memory >= value;
            return static_cast<std::int64_t>(memory - value) >= 0;
        case ACL_STREAM_WAIT_VALUE_EQ: return memory == value;
        case ACL_STREAM_WAIT_VALUE_AND:
            return faulty(Fault::value_wait_all_bits) ? (memory & value) == value : (memory & value) != 0;
        default: return faulty(Fault::value_wait_nor_is_zero) ? (memory | value) == 0 : ~(memory | value) != 0;
    }
}

aclError null_address() {
    return faulty(Fault::value_null_accepted) ? ACL_SUCCESS : refuse(ACL_ERROR_INVALID_PARAM, "devAddr is NULL");
}

/// The stream of a value task.
std::shared_ptr<Stream> value_stream(aclrtStream stream, aclError& code) {
    if (stream == nullptr && faulty(Fault::value_null_stream_refused)) {
        code = refuse(ACL_ERROR_INVALID_PARAM, "stream is NULL");
        return nullptr;
    }
    return require_stream(stream, code, current_function());
}

/// For a fault: whether the address lies in a block of a pool.
bool in_pool(const void* address) {
    const auto region = AddressSpace::instance().impl().find(reinterpret_cast<std::uintptr_t>(address));
    return region && region->source == Source::pool;
}

/// For a fault: the bits that all waits with AND on one word ask for together, as long as any of them is there.
std::shared_ptr<std::atomic<std::uint64_t>> shared_bits(const void* address, std::uint64_t bits) {
    static std::mutex mutex;
    static std::map<const void*, std::weak_ptr<std::atomic<std::uint64_t>>> words;
    std::lock_guard lock(mutex);
    auto shared = words[address].lock();
    if (!shared) words[address] = shared = std::make_shared<std::atomic<std::uint64_t>>(0);
    shared->fetch_or(bits);
    return shared;
}

/// For a fault: whether the condition holds before the stream has come to the wait.
bool holds_now(const void* address, std::uint64_t value, std::uint32_t flag) {
    std::uint64_t memory = 0;
    return AddressSpace::instance().copy(&memory, address, sizeof(memory)) == 0 && condition_holds(memory, value, flag);
}

/// What a write puts where.
aclError write_word(void* address, std::uint64_t value) {
    AddressSpace& space = AddressSpace::instance();
    if (faulty(Fault::value_write_mapped_lost) && space.locate(address).kind == MemoryKind::mapped) return 0;
    if (faulty(Fault::value_write_pool_lost) && in_pool(address)) return 0;
    std::uint64_t before = 0;
    if (faulty(Fault::value_write_first_wins) && space.copy(&before, address, sizeof(before)) == 0 && before != 0) return 0;
    std::uint64_t written = faulty(Fault::value_write_low_half_only) ? value & UINT32_MAX : value;
    const std::uint64_t words[2] = {written, 0};
    return space.copy(address, words, sizeof(written) + (faulty(Fault::value_write_neighbour) ? 1 : 0));
}

/// A stream goes on when the word behind the address is as asked for.
Task value_wait(const void* address, std::uint64_t value, std::uint32_t flag) {
    Task task;
    task.kind = "value wait";
    const bool shares = faulty(Fault::value_wait_and_shared) && flag == ACL_STREAM_WAIT_VALUE_AND;
    task.run = [address, value, flag, shared = shares ? shared_bits(address, value) : nullptr] {
        std::uint64_t memory = 0;
        if (aclError failed = AddressSpace::instance().copy(&memory, address, sizeof(memory)))
            return Progress::Failed(failed);
        std::uint32_t asked = faulty(Fault::value_wait_geq_only) ? ACL_STREAM_WAIT_VALUE_GEQ : flag;
        if (condition_holds(memory, shared ? shared->load() : value, asked)) return Progress::Done();
        return Progress::Waiting(Clock::now() + watch_period);
    };
    return task;
}

}  // namespace

extern "C" {

aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
    ACLREF_ENTER(aclrtValueWrite);
    if (devAddr == nullptr) return null_address();
    if (flag != 0 && !faulty(Fault::value_flags_unchecked)) return refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is reserved and has to be 0");
    aclError code = 0;
    auto found = value_stream(stream, code);
    if (!found) return code;
    if ((code = check_device_word(devAddr))) return code;
    Task task;
    task.kind = "value write";
    if (faulty(Fault::value_write_first_device_only) && found->device().id() != 0) return 0;
    if (faulty(Fault::value_write_at_once)) return write_word(devAddr, value);
    task.run = [devAddr, value] {
        if (aclError failed = write_word(devAddr, value)) return Progress::Failed(failed);
        wake_all_executors();
        return Progress::Done();
    };
    return found->submit(std::move(task));
}

aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
    ACLREF_ENTER(aclrtValueWait);
    if (devAddr == nullptr) return null_address();
    if (flag > ACL_STREAM_WAIT_VALUE_NOR && !faulty(Fault::value_flags_unchecked)) return refuse(ACL_ERROR_RT_PARAM_INVALID, "flag %u does not exist", flag);
    aclError code = 0;
    auto found = value_stream(stream, code);
    if (!found) return code;
    if ((code = check_device_word(devAddr))) return code;
    if (faulty(Fault::value_wait_mapped_ignored) && AddressSpace::instance().locate(devAddr).kind == MemoryKind::mapped)
        return 0;
    if (faulty(Fault::value_wait_held_at_call_ignored) && flag != ACL_STREAM_WAIT_VALUE_EQ && holds_now(devAddr, value, flag))
        return 0;
    if (faulty(Fault::value_wait_holds_all))
        for (const auto& other : Runtime::instance().streams().all())
            if (other != found && !other->is_default()) other->submit(value_wait(devAddr, value, flag));
    code = found->submit(value_wait(devAddr, value, flag));
    if (faulty(Fault::value_wait_blocks_host)) return found->synchronize(std::chrono::milliseconds(-1));
    return code;
}

aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream) {
    ACLREF_ENTER(aclrtGetOverflowStatus);
    ACLREF_REQUIRE(outputAddr);
    if (outputSize != overflow_bytes)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "outputSize %zu is not %zu", outputSize, overflow_bytes);
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    code = AddressSpace::instance().check_range(outputAddr, overflow_bytes, true, found->device().id());
    if (code) return code;
    if (faulty(Fault::overflow_status_at_once)) return AddressSpace::instance().fill(outputAddr, 0, overflow_bytes);
    Task task;
    task.kind = "overflow status";
    task.run = [outputAddr] {
        // Nothing on the reference device overflows.
        aclError failed = AddressSpace::instance().fill(outputAddr, 0, overflow_bytes);
        return failed ? Progress::Failed(failed) : Progress::Done();
    };
    return found->submit(std::move(task));
}

aclError aclrtResetOverflowStatus(aclrtStream stream) {
    ACLREF_ENTER(aclrtResetOverflowStatus);
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    Task task;
    task.kind = "overflow reset";
    task.run = [] { return Progress::Done(); };
    return found->submit(std::move(task));
}

aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count, aclrtReduceKind kind, aclDataType type,
                          aclrtStream stream, void* reserve) {
    ACLREF_ENTER(aclrtReduceAsync);
    ACLREF_REQUIRE(dst);
    ACLREF_REQUIRE(src);
    if (reserve) return refuse(ACL_ERROR_INVALID_PARAM, "reserve has to be NULL");
    if (!reduce_kind_exists(kind) && faulty(Fault::reduce_kind_unchecked)) return 0;
    if (!can_reduce(kind, type))
        return refuse(ACL_ERROR_INVALID_PARAM, "the product does not reduce type %d by kind %d", type, kind);
    if (count > most_reduced_bytes) {
        if (faulty(Fault::reduce_limit_unchecked)) return 0;
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "count %llu is too large", static_cast<unsigned long long>(count));
    }
    if (count == 0 || count % element_size(type) != 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "count %llu is no multiple of the element size",
                      static_cast<unsigned long long>(count));
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    int device = found->device().id();
    AddressSpace& space = AddressSpace::instance();
    if ((code = space.check_range(src, count, false, device)) || (code = space.check_range(dst, count, true, device)))
        return code;
    Task task;
    task.kind = "reduce";
    task.bytes = count;
    task.capturable = !faulty(Fault::reduce_not_captured);
    task.run = [dst, src, count, kind, type] {
        aclError failed = reduce(dst, src, count, kind, type);
        return failed ? Progress::Failed(failed) : Progress::Done();
    };
    if (faulty(Fault::reduce_at_once)) return task.run().code;
    return found->submit(std::move(task));
}

aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo* taskInfo, const aclrtStream stream, void* reserve) {
    ACLREF_ENTER(aclrtRandomNumAsync);
    ACLREF_REQUIRE(taskInfo);
    if (!can_randomise(taskInfo->dataType))
        return refuse(ACL_ERROR_INVALID_PARAM, "dataType %d has no random numbers", taskInfo->dataType);
    if (reserve) return refuse(ACL_ERROR_RT_PARAM_INVALID, "reserve has to be NULL");
    auto function = static_cast<unsigned>(taskInfo->randomNumFuncParaInfo.funcType);
    if (function > ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "funcType %u does not exist", function);
    if (!taskInfo->randomResultAddr || !taskInfo->randomCounterAddr)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the task has no place for its result or counter");
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    Task task;
    task.kind = "random numbers";
    task.run = [info = *taskInfo] {
        aclError failed = make_random_numbers(info);
        return failed ? Progress::Failed(failed) : Progress::Done();
    };
    if (faulty(Fault::random_changes_task)) const_cast<aclrtRandomNumTaskInfo*>(taskInfo)->dataType = ACL_UINT32;
    return found->submit(std::move(task));
}

}  // extern "C"
