// Model running instances: executing, destroying, naming, building stream by stream, and looking inside.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "base/faults/copy.hpp"
#include "capture/recorder.hpp"
#include "capture/replay.hpp"

using namespace aclref;
using capture::Instance;
using capture::Origin;
using capture::Stage;

namespace {

constexpr std::size_t name_limit = 512;
constexpr std::chrono::seconds destroy_patience{10};  ///< how long destroying waits for executions under way

std::shared_ptr<Instance> live_instance(aclmdlRI handle, aclError null_code, aclError& code, const char* api) {
    if (handle == nullptr) {
        code = fail(null_code, "%s: modelRI is null", api);
        return nullptr;
    }
    std::shared_ptr<Instance> instance = capture::instances().find(handle);
    if (!instance) code = fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: modelRI is not alive", api);
    return instance;
}

/// The instance has to belong to the current context.
aclError check_context(const Instance& instance, const char* api) {
    aclError code = 0;
    std::shared_ptr<Context> context = require_context(code, api);
    if (code != 0) return code;
    if (instance.context.lock() == context || faulty(Fault::instance_context_ignored)) return 0;
    return fail(ACL_ERROR_RT_MODEL_CONTEXT, "%s: the instance belongs to another context", api);
}

/// Whether the instance can be executed, and a body freezes what it holds.
aclError check_executable(Instance& instance, const char* api) {
    std::scoped_lock lock(capture::mutex());
    if (instance.origin == Origin::body)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: the body of a conditional task is not executed on its own", api);
    if (instance.stage != Stage::ready && !faulty(Fault::instance_executes_in_capture)) {
        if (instance.origin == Origin::built) return fail(ACL_ERROR_RT_MODEL_EXECUTE, "%s: the instance is not built", api);
        return fail(ACL_ERROR_RT_MODEL_CAPTURED, "%s: the instance is still being captured", api);
    }
    for (const auto& body : instance.bodies) {
        if (body->stage == Stage::recording && body->body_recorded)
            return fail(ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING, "%s: a body of the instance is still being captured", api);
        body->body_recorded = true;
    }
    return 0;
}

/// A task that executes the instance once.
Task execution(const std::shared_ptr<Instance>& instance) {
    auto replay = std::make_shared<capture::Replay>(instance);
    Task task;
    task.kind = "instance";
    task.capturable = false;
    for (const auto& program : instance->programs)
        for (const auto& node : program.nodes) {
            task.bytes += node.task.bytes;
            task.crosses_link = task.crosses_link || node.task.crosses_link;
            task.to_host = task.to_host || node.task.to_host;
        }
    task.run = [replay] { return replay->step(); };
    return task;
}

}  // namespace

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
    ACLREF_ENTER(aclmdlRIExecuteAsync);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_INVALID_PARAM, code, __func__);
    if (!instance) return code;
    if ((code = check_executable(*instance, __func__)) != 0) return code;
    if ((code = check_context(*instance, __func__)) != 0) return code;
    std::shared_ptr<Stream> queue = require_stream(stream, code, __func__);
    if (code != 0) return code;
    if ((code = capture::check_stream(*queue, __func__)) != 0) return code;
    if (instance->origin == Origin::built && capture::bound_instance(*queue) == instance)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the stream is bound to the instance", __func__);
    if (faulty(Fault::instance_runs_once) && instance->executions > 0) return 0;
    if (faulty(Fault::instance_execution_dropped)) return 0;
    bool at_once = queue->is_default() && faulty(Fault::instance_on_default_stream_at_once);
    if (at_once || faulty(Fault::instance_jumps_the_queue)) {
        capture::Replay replay(instance);
        return replay.step().code;
    }
    if (faulty(Fault::instance_event_behind_early)) capture::last_executed() = queue.get();
    return queue->enqueue(execution(instance));
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) {
    ACLREF_ENTER(aclmdlRIExecute);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_INVALID_PARAM, code, __func__);
    if (!instance) return code;
    if ((timeout == 0 || timeout < -1) && !faulty(Fault::instance_any_timeout))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: timeout is %d, it has to be -1 or positive", __func__, timeout);
    if (instance->origin == Origin::captured && !faulty(Fault::instance_captured_executes))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the instance comes from a capture", __func__);
    if ((code = check_executable(*instance, __func__)) != 0) return code;
    if ((code = check_context(*instance, __func__)) != 0) return code;
    auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout);
    if (faulty(Fault::instance_timeout_in_seconds)) until += 999 * std::chrono::milliseconds(timeout);
    if (faulty(Fault::instance_executes_once_synchronously) && instance->executions > 0) return 0;
    if (faulty(Fault::instance_bounded_execute_returns_early) && timeout >= 1000) return 0;
    if (faulty(Fault::instance_aborted_stays_idle) && instance->was_aborted) return 0;
    capture::Replay replay(instance);
    if (faulty(Fault::instance_execute_returns_early)) return 0;
    for (;;) {
        Progress progress = replay.step();
        if (progress.kind == Progress::done) return 0;
        if (progress.kind == Progress::failed) return fail(progress.code, "%s: a task of the instance failed", __func__);
        if (timeout > 0 && std::chrono::steady_clock::now() >= until && !faulty(Fault::instance_timeout_ignored))
            return fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "%s: not over after %d ms", __func__, timeout);
        // Waits of its tasks look at memory and events that other threads change without telling anybody.
        hurry_all_executors();
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

aclError aclmdlRIAbort(aclmdlRI modelRI) {
    ACLREF_ENTER(aclmdlRIAbort);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_RT_PARAM_INVALID, code, __func__);
    if (!instance) return code;
    if (instance->origin != Origin::built)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: only built instances can be aborted", __func__);
    {
        std::scoped_lock lock(capture::mutex());
        if (instance->running > 0) instance->abort_asked = true;
        instance->was_aborted = true;
    }
    wake_all_executors();
    return 0;
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
    ACLREF_ENTER(aclmdlRIDestroy);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_INVALID_PARAM, code, __func__);
    if (!instance) return faulty(Fault::instance_destroyed_twice) && modelRI != nullptr ? 0 : code;
    if (instance->origin == Origin::body)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: the body of a conditional task goes with its instance", __func__);
    if ((code = check_context(*instance, __func__)) != 0) return code;
    hurry_all_executors();
    std::vector<std::pair<aclrtCallback, void*>> callbacks;
    {
        std::unique_lock lock(capture::mutex());
        if (instance->origin == Origin::captured && instance->stage == Stage::recording &&
            !faulty(Fault::instance_destroyed_in_capture))
            return fail(ACL_ERROR_RT_MODEL_CAPTURED, "%s: the instance is being captured", __func__);
        bool over = capture::instance_changed().wait_for(lock, destroy_patience, [&] { return instance->running == 0; });
        if (!over) return fail(ACL_ERROR_RT_MODEL_RUNNING, "%s: the instance is still running", __func__);
        if (!faulty(Fault::instance_leaks) && !capture::instances().remove(modelRI))
            return fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: modelRI is not alive", __func__);
        capture::retire(*instance);
        for (const auto& body : instance->bodies) {
            capture::retire(*body);
            capture::instances().remove(body->handle);
        }
        callbacks = instance->destroy_callbacks;
        if (faulty(Fault::instance_callbacks_of_captured_lost) && instance->origin == Origin::captured) callbacks.clear();
    }
    capture::unbind_all(*instance);
    for (auto [function, data] : callbacks) {
        if (faulty(Fault::instance_callbacks_lost)) break;
        function(faulty(Fault::instance_callback_data_lost) ? nullptr : data);
        if (faulty(Fault::instance_callbacks_twice)) function(data);
    }
    return 0;
}

aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func, void* userData) {
    ACLREF_ENTER(aclmdlRIDestroyRegisterCallback);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_RT_PARAM_INVALID, code, __func__);
    if (!instance) return code;
    if (func == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: func is null", __func__);
    std::scoped_lock lock(capture::mutex());
    auto& all = instance->destroy_callbacks;
    if (std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.first == func; }))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: func is registered already", __func__);
    if (faulty(Fault::instance_third_callback_lost) && all.size() > 1) return 0;
    all.emplace_back(func, userData);
    return 0;
}

aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func) {
    ACLREF_ENTER(aclmdlRIDestroyUnregisterCallback);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_RT_PARAM_INVALID, code, __func__);
    if (!instance) return code;
    if (func == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: func is null", __func__);
    std::scoped_lock lock(capture::mutex());
    auto& all = instance->destroy_callbacks;
    auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == func; });
    if (found == all.end()) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: func is not registered", __func__);
    if (!faulty(Fault::instance_callback_stays)) all.erase(found);
    if (faulty(Fault::instance_callbacks_all_removed)) all.clear();
    return 0;
}

aclError aclmdlRISetName(aclmdlRI modelRI, const char* name) {
    ACLREF_ENTER(aclmdlRISetName);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_INVALID_PARAM, code, __func__);
    if (!instance) return code;
    if (name == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: name is null", __func__);
    std::scoped_lock lock(capture::mutex());
    if (faulty(Fault::instance_first_name_wins) && !instance->name.empty()) return 0;
    const std::string earlier = instance->name;
    instance->name.assign(name, faulty(Fault::instance_name_uncut) ? std::strlen(name) : strnlen(name, name_limit));
    if (faulty(Fault::instance_longer_name_shows_through) && earlier.size() > instance->name.size())
        instance->name += earlier.substr(instance->name.size());
    return 0;
}

aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char* name) {
    ACLREF_ENTER(aclmdlRIGetName);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_INVALID_PARAM, code, __func__);
    if (!instance) return code;
    if (name == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: name is null", __func__);
    if (maxLen == 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: maxLen is 0", __func__);
    std::scoped_lock lock(capture::mutex());
    std::size_t room = maxLen - (faulty(Fault::instance_name_room_short) ? 1 : 0);
    if (instance->name.size() >= room)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: maxLen %u has no room for a name of %zu bytes", __func__, maxLen,
                    instance->name.size());
    std::memcpy(name, instance->name.c_str(), instance->name.size() + 1);
    return 0;
}

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t* modelRIId) {
    ACLREF_ENTER(aclmdlRIGetId);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_INVALID_PARAM, code, __func__);
    if (!instance) return code;
    if (modelRIId == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: modelRIId is null", __func__);
    const bool same = faulty(Fault::instance_ids_equal) ||
                      (faulty(Fault::instance_built_ids_equal) && instance->origin == Origin::built);
    *modelRIId = same ? 1 : instance->id;
    return 0;
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI) {
    ACLREF_ENTER(aclmdlRIDebugPrint);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_INVALID_PARAM, code, __func__);
    if (!instance) return code;
    std::scoped_lock lock(capture::mutex());
    std::fputs(capture::describe(*instance).c_str(), stdout);
    std::fflush(stdout);
    return 0;
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t flags) {
    ACLREF_ENTER(aclmdlRIDebugJsonPrint);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_INVALID_PARAM, code, __func__);
    if (!instance) return code;
    if (path == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: path is null", __func__);
    if (flags > 1) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flags is %u, it has to be 0 or 1", __func__, flags);
    std::string text;
    {
        std::scoped_lock lock(capture::mutex());
        text = capture::describe_json(*instance, flags == 1);
    }
    std::FILE* file = std::fopen(path, "we");
    if (file == nullptr) {
        if (faulty(Fault::instance_json_unwritten)) return 0;
        return fail(ACL_ERROR_RT_FILE_OPEN, "%s: %s cannot be opened for writing: %s", __func__, path, std::strerror(errno));
    }
    bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    // A full disk shows at the latest when the file is closed.
    if (std::fclose(file) != 0 || !written)
        return fail(ACL_ERROR_RT_FILE_WRITE, "%s: %s cannot be written: %s", __func__, path, std::strerror(errno));
    return 0;
}

aclError aclmdlRIBuildBegin(aclmdlRI* modelRI, uint32_t flag) {
    ACLREF_ENTER(aclmdlRIBuildBegin);
    if (modelRI == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: modelRI is null", __func__);
    if (flag != 0 && !faulty(Fault::instance_build_flag_ignored))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flag is reserved and has to be 0", __func__);
    aclError code = 0;
    std::shared_ptr<Context> context = require_context(code, __func__);
    if (code != 0) return code;
    auto instance = std::make_shared<Instance>(Origin::built, context);
    instance->handle = capture::instances().add(instance);
    *modelRI = instance->handle;
    return 0;
}

aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag) {
    ACLREF_ENTER(aclmdlRIBindStream);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_INVALID_PARAM, code, __func__);
    if (!instance) return code;
    if (stream == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: stream is null", __func__);
    if (flag != ACL_MODEL_STREAM_FLAG_HEAD && flag != ACL_MODEL_STREAM_FLAG_DEFAULT &&
        !faulty(Fault::instance_bind_any_flag))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no flag %u", __func__, flag);
    std::shared_ptr<Stream> bound = require_stream(stream, code, __func__);
    if (code != 0) return code;
    if ((code = capture::check_stream(*bound, __func__)) != 0) return code;
    if (instance->origin != Origin::built)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the instance comes from a capture", __func__);
    if ((bound->flags() & ACL_STREAM_PERSISTENT) == 0 && !faulty(Fault::instance_binds_any_stream))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: only streams made with ACL_STREAM_PERSISTENT can be bound", __func__);
    return capture::bind(instance, bound, flag == ACL_MODEL_STREAM_FLAG_HEAD, __func__);
}

aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream) {
    ACLREF_ENTER(aclmdlRIUnbindStream);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_INVALID_PARAM, code, __func__);
    if (!instance) return code;
    if (stream == nullptr) return fail(ACL_ERROR_RT_STREAM_MODEL, "%s: stream is null, it is bound to nothing", __func__);
    std::shared_ptr<Stream> bound = require_stream(stream, code, __func__);
    if (code != 0) return code;
    return capture::unbind(instance, *bound, __func__);
}

aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream) {
    ACLREF_ENTER(aclmdlRIEndTask);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_INVALID_PARAM, code, __func__);
    if (!instance) return code;
    if (stream == nullptr) return fail(ACL_ERROR_RT_STREAM_MODEL, "%s: stream is null, it is bound to nothing", __func__);
    std::shared_ptr<Stream> bound = require_stream(stream, code, __func__);
    if (code != 0) return code;
    return capture::end_task(instance, *bound, __func__);
}

aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void* reserve) {
    ACLREF_ENTER(aclmdlRIBuildEnd);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_INVALID_PARAM, code, __func__);
    if (!instance) return code;
    if (reserve != nullptr && !faulty(Fault::instance_build_reserve_ignored))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: reserve has to be null", __func__);
    std::scoped_lock lock(capture::mutex());
    if (instance->origin != Origin::built || instance->stage != Stage::recording)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the instance is not being built", __func__);
    instance->stage = Stage::ready;
    return 0;
}

aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream* streams, uint32_t* numStreams) {
    ACLREF_ENTER(aclmdlRIGetStreams);
    aclError code = 0;
    std::shared_ptr<Instance> instance = live_instance(modelRI, ACL_ERROR_RT_PARAM_INVALID, code, __func__);
    if (!instance) return code;
    if (numStreams == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: numStreams is null", __func__);
    std::scoped_lock lock(capture::mutex());
    auto count = static_cast<uint32_t>(instance->programs.size());
    if (faulty(Fault::instance_one_stream_only)) count = 1;
    if (streams != nullptr) {
        if (*numStreams < count && !faulty(Fault::instance_small_array_accepted))
            return fail(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, "%s: room for %u streams, the instance has %u", __func__,
                        *numStreams, count);
        for (uint32_t i = 0; i < std::min(count, *numStreams); ++i) streams[i] = instance->programs[i].handle;
    }
    *numStreams = count;
    return 0;
}

aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask* tasks, uint32_t* numTasks) {
    ACLREF_ENTER(aclmdlRIGetTasksByStream);
    if (numTasks == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: numTasks is null", __func__);
    std::scoped_lock lock(capture::mutex());
    std::uint32_t program = 0;
    std::shared_ptr<Instance> instance = capture::find_program(stream, program);
    if (!instance) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the stream belongs to no instance", __func__);
    const auto& nodes = instance->programs[program].nodes;
    auto count = static_cast<uint32_t>(nodes.size());
    if (tasks != nullptr) {
        if (*numTasks < count && !faulty(Fault::instance_small_array_accepted))
            return fail(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, "%s: room for %u tasks, the stream has %u", __func__,
                        *numTasks, count);
        for (uint32_t i = 0; i < std::min(count, *numTasks); ++i) tasks[i] = nodes[i].handle;
    }
    *numTasks = count;
    return 0;
}
