#include "services/snapshot.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/faults/services.hpp"
#include "base/live_objects.hpp"
#include "memory/contents.hpp"
#include "runtime/stream.hpp"

namespace aclref {

namespace {

enum class State { running, locked, backed_up };

constexpr std::size_t stages = ACL_RT_SNAPSHOT_UNLOCK_POST + 1;

struct Callback {
    aclrtSnapShotCallBack function;
    void* argument;
};

struct Snapshot {
    std::mutex mutex;              ///< of the state; not held while callbacks run
    std::condition_variable freed;
    State state = State::running;
    bool used_once = false;
    std::vector<SavedRange> memory;
    std::mutex callbacks_mutex;
    std::array<std::vector<Callback>, stages> callbacks;
};

Snapshot& snapshot() {
    static auto* instance = new Snapshot;
    return *instance;
}

/// Thread that locked the process, 0 while it runs: what every call looks at.
constinit std::atomic<pid_t> locked_by{0};

const LiveCounter live[] = {
    {"snapshot_locked", [] { return static_cast<std::uint64_t>(locked_by.load() ? 1 : 0); }},
    {"snapshot_callbacks", [] {
         std::lock_guard lock(snapshot().callbacks_mutex);
         std::uint64_t count = 0;
         for (const auto& stage : snapshot().callbacks) count += stage.size();
         return count;
     }},
};

bool is_snapshot_call(Function function) {
    switch (function) {
        case Function::aclrtSnapShotProcessLock:
        case Function::aclrtSnapShotProcessUnlock:
        case Function::aclrtSnapShotProcessBackup:
        case Function::aclrtSnapShotProcessRestore:
        case Function::aclrtSnapShotCallbackRegister:
        case Function::aclrtSnapShotCallbackUnregister: return true;
        default: return false;
    }
}

/// Tells the functions of a stage, once for each device that is set. The first that fails ends it.
aclError tell(aclrtSnapShotStage stage) {
    std::vector<Callback> functions;
    {
        std::lock_guard lock(snapshot().callbacks_mutex);
        functions = snapshot().callbacks[static_cast<std::size_t>(stage)];
    }
    Runtime& runtime = Runtime::instance();
    for (int id = 0; id < runtime.device_count(); ++id) {
        if (!runtime.device_is_set(*runtime.device(id))) continue;
        for (const Callback& callback : functions) {
            const bool wrong = faulty(Fault::snapshot_callback_gets_nothing);
            const std::uint32_t answer = callback.function(wrong ? -1 : id, wrong ? nullptr : callback.argument);
            if (answer != 0 && !faulty(Fault::snapshot_callback_answer_ignored))
                return refuse(ACL_ERROR_SNAPSHOT_CALLBACK_FAILED, "a function of stage %d answered %u", stage, answer);
        }
    }
    return 0;
}

aclError tell_first(aclrtSnapShotStage usual, aclrtSnapShotStage instead) {
    return tell(faulty(Fault::snapshot_stages_turned) ? instead : usual);
}

bool is_state(State wanted) {
    std::lock_guard lock(snapshot().mutex);
    return snapshot().state == wanted || faulty(Fault::snapshot_states_unchecked);
}

void enter_state(State state) {
    std::lock_guard lock(snapshot().mutex);
    snapshot().state = state;
    locked_by = state == State::running ? 0 : ::gettid();
    snapshot().freed.notify_all();
}

bool stage_exists(aclrtSnapShotStage stage) { return static_cast<std::size_t>(static_cast<unsigned>(stage)) < stages; }

/// Faulty builds only: what a restore does to the program's objects.
void damage_what_was_restored() {
    if (faulty(Fault::snapshot_restore_loses_streams))
        for (const auto& stream : Runtime::instance().streams().all())
            if (!stream->is_default()) stream->close(ACL_ERROR_RT_STREAM_ABORT);
}

}  // namespace

aclError lock_process() {
    if (!is_state(State::running)) return refuse(ACL_ERROR_SNAPSHOT_LOCK_FAILED, "the process is locked already");
    if (snapshot().used_once && faulty(Fault::snapshot_works_once))
        return refuse(ACL_ERROR_SNAPSHOT_LOCK_FAILED, "the process was locked before");
    if (aclError code = tell(ACL_RT_SNAPSHOT_LOCK_PRE)) return code;
    snapshot().used_once = true;
    enter_state(State::locked);
    if (faulty(Fault::snapshot_lock_stops_nobody)) locked_by = 0;
    return 0;
}

aclError unlock_process() {
    const bool backed_up = is_state(State::backed_up);
    if (!backed_up && !is_state(State::locked))
        return refuse(ACL_ERROR_SNAPSHOT_UNLOCK_FAILED, "the process is not locked");
    if (backed_up && faulty(Fault::snapshot_backup_cannot_be_left))
        return refuse(ACL_ERROR_SNAPSHOT_UNLOCK_FAILED, "the process was not restored");
    {
        std::lock_guard lock(snapshot().mutex);
        snapshot().memory.clear();
    }
    enter_state(State::running);
    return tell(ACL_RT_SNAPSHOT_UNLOCK_POST);
}

aclError back_up_process() {
    if (!is_state(State::locked)) return refuse(ACL_ERROR_SNAPSHOT_BACKUP_FAILED, "the process is not locked");
    if (aclError code = tell_first(ACL_RT_SNAPSHOT_BACKUP_PRE, ACL_RT_SNAPSHOT_BACKUP_POST)) return code;
    auto memory = save_device_memory();
    {
        std::lock_guard lock(snapshot().mutex);
        snapshot().memory = std::move(memory);
    }
    if (aclError code = tell_first(ACL_RT_SNAPSHOT_BACKUP_POST, ACL_RT_SNAPSHOT_BACKUP_PRE)) return code;
    enter_state(State::backed_up);
    return 0;
}

aclError restore_process() {
    if (!is_state(State::backed_up)) return refuse(ACL_ERROR_SNAPSHOT_RESTORE_FAILED, "there is no backup");
    if (aclError code = tell(ACL_RT_SNAPSHOT_RESTORE_PRE)) return code;
    {
        std::lock_guard lock(snapshot().mutex);
        auto& memory = snapshot().memory;
        if (faulty(Fault::snapshot_restore_loses_memory))
            for (SavedRange& range : memory) std::fill(range.bytes.begin(), range.bytes.end(), std::byte{0});
        restore_device_memory(memory);
    }
    damage_what_was_restored();
    if (aclError code = tell(ACL_RT_SNAPSHOT_RESTORE_POST)) return code;
    enter_state(faulty(Fault::snapshot_restore_unlocks) ? State::running : State::locked);
    return 0;
}

aclError register_snapshot_callback(aclrtSnapShotStage stage, aclrtSnapShotCallBack function, void* argument) {
    const bool lax = faulty(Fault::snapshot_callbacks_unchecked);
    if (!stage_exists(stage)) return lax ? 0 : refuse(ACL_ERROR_RT_PARAM_INVALID, "there is no stage %d", stage);
    if (!argument && faulty(Fault::snapshot_callback_needs_argument))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "args is NULL");
    std::lock_guard lock(snapshot().callbacks_mutex);
    const auto same = [&](const Callback& each) { return each.function == function; };
    auto& mine = snapshot().callbacks[static_cast<std::size_t>(stage)];
    if (std::any_of(mine.begin(), mine.end(), same) && !lax)
        return refuse(ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED, "the function is registered for stage %d", stage);
    if (faulty(Fault::snapshot_callback_for_one_stage))
        for (const auto& other : snapshot().callbacks)
            if (std::any_of(other.begin(), other.end(), same))
                return refuse(ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED, "the function is registered for another stage");
    mine.push_back({function, argument});
    return 0;
}

aclError unregister_snapshot_callback(aclrtSnapShotStage stage, aclrtSnapShotCallBack function) {
    const bool lax = faulty(Fault::snapshot_callbacks_unchecked);
    if (!stage_exists(stage)) return lax ? 0 : refuse(ACL_ERROR_RT_PARAM_INVALID, "there is no stage %d", stage);
    std::lock_guard lock(snapshot().callbacks_mutex);
    auto& mine = snapshot().callbacks[static_cast<std::size_t>(stage)];
    auto it = std::find_if(mine.begin(), mine.end(), [&](const Callback& each) { return each.function == function; });
    if (it == mine.end())
        return lax ? 0 : refuse(ACL_ERROR_RT_PARAM_INVALID, "the function is not registered for stage %d", stage);
    if (!faulty(Fault::snapshot_removed_callback_called)) mine.erase(it);
    return 0;
}

void wait_for_snapshot(Function function) {
    const pid_t owner = locked_by.load(std::memory_order_relaxed);
    if (owner == 0 || owner == ::gettid() || is_snapshot_call(function)) return;
    std::unique_lock lock(snapshot().mutex);
    snapshot().freed.wait(lock, [] { return locked_by.load() == 0; });
}

void release_snapshot() {
    enter_state(State::running);
    std::lock_guard lock(snapshot().mutex);
    snapshot().memory.clear();
    snapshot().used_once = false;
}

void forget_snapshot_callbacks() {
    std::lock_guard lock(snapshot().callbacks_mutex);
    for (auto& stage : snapshot().callbacks) stage.clear();
}

}  // namespace aclref
