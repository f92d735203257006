// Graph capture, replay, built instances and conditional tasks through the public interface.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "acl/acl.h"
#include "aclref_control.h"
#include "checks.hpp"

namespace {

using Bytes = std::vector<unsigned char>;

constexpr aclmdlRICaptureMode global = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
constexpr aclmdlRICaptureMode thread_local_mode = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
constexpr aclmdlRICaptureMode relaxed = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
constexpr std::size_t size = 256;

/// A library on one profile, device 0 current, with four blocks and two streams.
struct Bench {
    explicit Bench(const char* profile = "product=910b;form=EP;cann=9.0") {
        CHECK(aclrefConfigure(profile) == 0);
        CHECK(aclInit(nullptr) == 0);
        CHECK(aclrtSetDevice(0) == 0);
        for (void*& block : blocks) CHECK(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
        CHECK(aclrtMallocHost(&pinned, size) == 0);
        CHECK(aclrtCreateStream(&main) == 0 && aclrtCreateStream(&side) == 0);
        for (aclrtEvent& event : events) CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC) == 0);
    }
    ~Bench() {
        for (aclrtEvent event : events) CHECK(aclrtDestroyEvent(event) == 0);
        CHECK(aclrtDestroyStream(main) == 0 && aclrtDestroyStream(side) == 0);
        for (void* block : blocks) CHECK(aclrtFree(block) == 0);
        CHECK(aclrtFreeHost(pinned) == 0);
        CHECK(live("captures") == 0 && live("instances") == 0);
        CHECK(aclrefReset() == 0);
    }
    static int live(const char* what) {
        std::string text(aclrefLiveObjects(nullptr, 0) + 1, '\0');
        aclrefLiveObjects(text.data(), text.size());
        std::size_t at = text.find(std::string("\"") + what + "\":");
        return at == std::string::npos ? -1 : std::atoi(text.c_str() + text.find(':', at) + 1);
    }
    void fill(int block, int value) const { CHECK(aclrtMemset(blocks[block], size, value, size) == 0); }
    bool holds(int block, unsigned char value) const {
        Bytes bytes(size);
        CHECK(aclrtMemcpy(bytes.data(), size, blocks[block], size, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
        return bytes == Bytes(size, value);
    }
    aclError copy(int to, int from, aclrtStream stream) const {
        return aclrtMemcpyAsync(blocks[to], size, blocks[from], size, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
    }
    void run(aclmdlRI instance, aclrtStream stream) const {
        CHECK(aclmdlRIExecuteAsync(instance, stream) == 0);
        CHECK(aclrtSynchronizeStream(stream) == 0);
    }
    void* blocks[4] = {};
    void* pinned = nullptr;
    aclrtStream main = nullptr;
    aclrtStream side = nullptr;
    aclrtEvent events[3] = {};
};

void test_replay() {
    for (auto mode : {global, thread_local_mode, relaxed}) {
        Bench bench;
        aclmdlRI instance = nullptr;
        aclmdlRI told = nullptr;
        aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
        bench.fill(0, 1), bench.fill(1, 2);
        CHECK(aclmdlRICaptureGetInfo(bench.main, &status, nullptr) == 0 && status == ACL_MODEL_RI_CAPTURE_STATUS_NONE);
        CHECK(aclmdlRICaptureBegin(bench.main, mode) == 0);
        CHECK(aclmdlRICaptureBegin(bench.main, mode) == ACL_ERROR_RT_STREAM_CAPTURED);
        CHECK(aclmdlRICaptureGetInfo(bench.main, &status, &told) == 0 && status == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
        CHECK(aclmdlRIExecuteAsync(told, bench.side) == ACL_ERROR_RT_MODEL_CAPTURED);
        CHECK(aclmdlRIDestroy(told) == ACL_ERROR_RT_MODEL_CAPTURED);
        CHECK(bench.copy(1, 0, bench.main) == 0);
        CHECK(aclrtMemcpyAsync(bench.blocks[2], size, bench.pinned, size, ACL_MEMCPY_HOST_TO_DEVICE, bench.main) == 0);
        Bytes pageable(size);
        CHECK(aclrtMemcpyAsync(bench.blocks[2], size, pageable.data(), size, ACL_MEMCPY_HOST_TO_DEVICE, bench.main) ==
              ACL_ERROR_RT_PARAM_INVALID);
        CHECK(aclmdlRICaptureEnd(bench.main, &instance) == 0 && instance == told);
        CHECK(bench.holds(1, 2));
        std::memset(bench.pinned, 9, size);
        bench.run(instance, bench.side);
        CHECK(bench.holds(1, 1) && bench.holds(2, 9));
        bench.fill(0, 5);
        bench.run(instance, bench.main);
        CHECK(bench.holds(1, 5));
        CHECK(aclmdlRIExecute(instance, -1) == ACL_ERROR_RT_PARAM_INVALID);
        CHECK(aclmdlRIDestroy(instance) == 0 && aclmdlRIDestroy(instance) == ACL_ERROR_RT_INVALID_HANDLE);
    }
}

void test_joining() {
    Bench bench;
    aclmdlRI instance = nullptr;
    CHECK(aclmdlRICaptureBegin(bench.main, global) == 0);
    CHECK(bench.copy(1, 0, bench.main) == 0);
    CHECK(aclrtRecordEvent(bench.events[0], bench.main) == 0);
    CHECK(aclrtStreamWaitEvent(nullptr, bench.events[0]) == ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
    CHECK(aclrtStreamWaitEvent(bench.side, bench.events[0]) == 0);
    CHECK(bench.copy(2, 1, bench.side) == 0);
    CHECK(aclrtRecordEvent(bench.events[1], bench.side) == 0);
    aclmdlRI told = nullptr;
    CHECK(aclmdlRICaptureEnd(bench.side, &told) == ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED);
    CHECK(aclrtStreamWaitEvent(bench.main, bench.events[1]) == 0);
    CHECK(bench.copy(3, 2, bench.main) == 0);
    CHECK(aclrtSynchronizeStream(bench.side) == ACL_ERROR_RT_STREAM_CAPTURED);
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    CHECK(aclrtQueryEventStatus(bench.events[0], &status) == ACL_ERROR_RT_EVENT_CAPTURED);
    CHECK(aclmdlRICaptureEnd(bench.main, &instance) == 0);
    for (int round = 0; round < 100; ++round) {
        bench.fill(0, round);
        bench.run(instance, bench.main);
        CHECK(bench.holds(3, static_cast<unsigned char>(round)));
    }
    uint32_t count = 0;
    CHECK(aclmdlRIGetStreams(instance, nullptr, &count) == 0 && count == 2);
    aclrtStream streams[2] = {};
    count = 1;
    CHECK(aclmdlRIGetStreams(instance, streams, &count) == ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY);
    count = 2;
    CHECK(aclmdlRIGetStreams(instance, streams, &count) == 0);
    uint32_t tasks = 0;
    CHECK(aclmdlRIGetTasksByStream(streams[0], nullptr, &tasks) == 0 && tasks == 4);
    CHECK(aclmdlRIGetTasksByStream(bench.main, nullptr, &tasks) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclmdlRIDestroy(instance) == 0);
    // An event that a capture recorded last belongs to it, until it is recorded again.
    CHECK(aclrtRecordEvent(bench.events[0], bench.main) == 0 && aclrtSynchronizeEvent(bench.events[0]) == 0);
}

/// A refused synchronise changes nothing, other threads disturb nothing, and side streams know where they belong.
void test_undisturbed() {
    Bench bench;
    aclmdlRI instance = nullptr;
    aclmdlRI told = nullptr;
    aclmdlRI side_told = nullptr;
    aclrtContext context = nullptr;
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    CHECK(aclrtGetCurrentContext(&context) == 0);
    CHECK(aclmdlRICaptureBegin(bench.main, thread_local_mode) == 0);
    CHECK(aclmdlRICaptureGetInfo(bench.main, nullptr, &told) == 0);
    CHECK(bench.copy(1, 0, bench.main) == 0);
    CHECK(aclrtSynchronizeStreamWithTimeout(bench.main, 1000) == ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK(aclmdlRIUpdate(told) == ACL_ERROR_RT_MODEL_UPDATE_FAILED);
    std::thread([&] {
        aclrtStream own = nullptr;
        CHECK(aclrtSetCurrentContext(context) == 0 && aclrtCreateStream(&own) == 0);
        CHECK(aclrtSynchronizeStream(own) == 0 && aclrtDestroyStream(own) == 0);
    }).join();
    CHECK(bench.copy(2, 1, bench.main) == 0);
    CHECK(aclrtRecordEvent(bench.events[0], bench.main) == 0 && aclrtStreamWaitEvent(bench.side, bench.events[0]) == 0);
    CHECK(aclmdlRICaptureGetInfo(bench.side, &status, &side_told) == 0);
    CHECK(status == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE && side_told == told);
    CHECK(aclrtRecordEvent(bench.events[1], bench.side) == 0 && aclrtStreamWaitEvent(bench.main, bench.events[1]) == 0);
    CHECK(aclmdlRICaptureEnd(bench.main, &instance) == 0 && instance == told);
    bench.fill(0, 7), bench.fill(2, 0);
    bench.run(instance, bench.main);
    CHECK(bench.holds(2, 7));

    // Tasks by name: two copies, then the events.
    aclrtStream streams[2] = {};
    uint32_t count = 2;
    CHECK(aclmdlRIGetStreams(instance, streams, &count) == 0 && count == 2);
    aclmdlRITask tasks[4] = {};
    count = 3;
    CHECK(aclmdlRIGetTasksByStream(streams[0], tasks, &count) == ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY);
    count = 4;
    CHECK(aclmdlRIGetTasksByStream(streams[0], tasks, &count) == 0 && count == 4);
    uint32_t ids[2] = {};
    CHECK(aclmdlRITaskGetSeqId(tasks[0], &ids[0]) == 0 && aclmdlRITaskGetSeqId(tasks[1], &ids[1]) == 0);
    CHECK(ids[0] != ids[1]);
    aclmdlRITaskType type = ACL_MODEL_RI_TASK_KERNEL;
    CHECK(aclmdlRITaskGetType(tasks[0], &type) == 0 && type == ACL_MODEL_RI_TASK_DEFAULT);
    aclmdlRITaskParams parameters{};
    CHECK(aclmdlRITaskGetParams(tasks[2], &parameters) == 0 && parameters.type == ACL_MODEL_RI_TASK_EVENT_RECORD);
    CHECK(parameters.eventRecordTaskParams.event == bench.events[0]);
    CHECK(aclmdlRITaskSetParams(tasks[2], &parameters) != 0 && aclmdlRITaskDisable(tasks[0]) != 0);
    aclrtLaunchKernelAttrValue attribute{};
    CHECK(aclmdlRIKernelTaskGetAttribute(tasks[0], static_cast<aclrtLaunchKernelAttrId>(1), &attribute) != 0);
    CHECK(aclmdlRIDestroy(instance) == 0 && aclmdlRITaskGetSeqId(tasks[0], &ids[0]) != 0);
}

/// External events are really recorded and waited for by an execution, each of them in one way.
void test_external_events() {
    Bench bench;
    aclmdlRI instance = nullptr;
    CHECK(aclrtRecordEventWithFlag(bench.events[2], bench.main, ACL_EVENT_RECORD_EXTERNAL) ==
          ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    CHECK(aclmdlRICaptureBegin(bench.main, global) == 0);
    CHECK(aclrtStreamWaitEventWithFlag(bench.main, bench.events[0], 0, ACL_EVENT_WAIT_EXTERNAL) == 0);
    CHECK(bench.copy(1, 0, bench.main) == 0);
    CHECK(aclrtRecordEventWithFlag(bench.events[1], bench.main, ACL_EVENT_RECORD_EXTERNAL) == 0);
    CHECK(aclrtRecordEventWithFlag(bench.events[1], bench.main, ACL_EVENT_RECORD_EXTERNAL) != 0);
    CHECK(aclrtRecordEventWithFlag(bench.events[0], bench.main, ACL_EVENT_RECORD_EXTERNAL) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclmdlRICaptureEnd(bench.main, &instance) == 0);
    CHECK(aclmdlRIDestroy(instance) == 0);
}

/// Instances belong to a context, and differ.
void test_contexts() {
    Bench bench;
    aclmdlRI instances[2] = {};
    uint32_t ids[2] = {};
    for (int i = 0; i < 2; ++i) {
        CHECK(aclmdlRICaptureBegin(bench.main, global) == 0 && bench.copy(1, 0, bench.main) == 0);
        CHECK(aclmdlRICaptureEnd(bench.main, &instances[i]) == 0 && aclmdlRIGetId(instances[i], &ids[i]) == 0);
    }
    CHECK(ids[0] != ids[1]);
    aclrtContext own = nullptr;
    aclrtContext other = nullptr;
    aclrtStream stream = nullptr;
    CHECK(aclrtGetCurrentContext(&own) == 0 && aclrtCreateContext(&other, 0) == 0 && aclrtCreateStream(&stream) == 0);
    CHECK(aclmdlRIExecuteAsync(instances[0], stream) == ACL_ERROR_RT_MODEL_CONTEXT);
    CHECK(aclmdlRIDestroy(instances[0]) == ACL_ERROR_RT_MODEL_CONTEXT);
    CHECK(aclmdlRICaptureBegin(bench.main, global) == ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK(aclrtDestroyStream(stream) == 0 && aclrtDestroyContext(other) == 0 && aclrtSetCurrentContext(own) == 0);
    CHECK(aclmdlRIExecuteAsync(instances[0], nullptr) == 0 && aclrtSynchronizeStream(nullptr) == 0);
    int32_t compatible = 0;
    CHECK(aclrtCheckArchCompatibility(aclrtGetSocName(), &compatible) == 0 && compatible == 1);
    CHECK(aclrtCheckArchCompatibility("NoSuchSoc", &compatible) == 0 && compatible == 0);
    CHECK(aclrtCheckArchCompatibility("", &compatible) == ACL_ERROR_INVALID_PARAM);
    for (aclmdlRI instance : instances) CHECK(aclmdlRIDestroy(instance) == 0);
}

/// Braces and brackets that close, outside of strings: enough to see a document cut short.
bool balanced(const std::string& text) {
    std::string open;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\') ++i;
        else if (text[i] == '"') quoted = !quoted;
        else if (!quoted && (text[i] == '{' || text[i] == '[')) open += text[i];
        else if (!quoted && (text[i] == '}' || text[i] == ']')) {
            if (open.empty() || open.back() != (text[i] == '}' ? '{' : '[')) return false;
            open.pop_back();
        }
    }
    return open.empty() && !quoted && !text.empty();
}

void test_unjoined() {
    Bench bench;
    for (bool join_first : {false, true}) {
        int mark = 0;
        aclmdlRI instance = &mark;
        CHECK(aclmdlRICaptureBegin(bench.main, global) == 0);
        CHECK(aclrtRecordEvent(bench.events[0], bench.main) == 0);
        CHECK(aclrtStreamWaitEvent(bench.side, bench.events[0]) == 0);
        if (join_first) {
            CHECK(aclrtRecordEvent(bench.events[1], bench.side) == 0);
            CHECK(aclrtStreamWaitEvent(bench.main, bench.events[1]) == 0);
        }
        CHECK(bench.copy(1, 0, bench.side) == 0);
        CHECK(aclmdlRICaptureEnd(bench.main, &instance) == ACL_ERROR_RT_STREAM_UNJOINED && instance == nullptr);
        CHECK(aclrtSynchronizeStream(bench.side) == 0 && aclrtSynchronizeStream(bench.main) == 0);
    }
}

void test_invalidation() {
    Bench bench;
    aclmdlRI instance = nullptr;
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    // Two captures that meet.
    CHECK(aclmdlRICaptureBegin(bench.main, relaxed) == 0 && aclmdlRICaptureBegin(bench.side, relaxed) == 0);
    CHECK(aclrtRecordEvent(bench.events[0], bench.main) == 0);
    CHECK(aclrtStreamWaitEvent(bench.side, bench.events[0]) == ACL_ERROR_STREAM_CAPTURE_CONFLICT);
    CHECK(aclmdlRICaptureGetInfo(bench.main, &status, nullptr) == 0 && status == ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    CHECK(aclmdlRICaptureEnd(bench.main, &instance) == ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    CHECK(aclmdlRICaptureEnd(bench.side, &instance) == ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    // An event from outside.
    CHECK(aclrtRecordEvent(bench.events[1], bench.side) == 0);
    CHECK(aclmdlRICaptureBegin(bench.main, global) == 0);
    CHECK(aclrtStreamWaitEvent(bench.main, bench.events[1]) == ACL_ERROR_RT_CAPTURE_DEPENDENCY);
    CHECK(aclmdlRICaptureEnd(bench.main, &instance) == ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    // A wait that failed for want of a stream.
    CHECK(aclmdlRICaptureBegin(bench.main, global) == 0 && aclrtRecordEvent(bench.events[2], bench.main) == 0);
    CHECK(aclrefInjectCallError("aclrtStreamWaitEvent", 1, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL) == 0);
    CHECK(aclrtStreamWaitEvent(bench.side, bench.events[2]) == ACL_ERROR_RT_RESOURCE_ALLOC_FAIL);
    CHECK(aclmdlRICaptureEnd(bench.main, &instance) != 0 && instance == nullptr);
    // Plain events cannot be captured; the capture goes on.
    aclrtEvent plain = nullptr;
    CHECK(aclrtCreateEvent(&plain) == 0);
    CHECK(aclmdlRICaptureBegin(bench.main, global) == 0);
    CHECK(aclrtRecordEvent(plain, bench.main) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(aclmdlRICaptureEnd(bench.main, &instance) == 0 && aclmdlRIDestroy(instance) == 0);
    CHECK(aclrtDestroyEvent(plain) == 0);
    CHECK(aclmdlRICaptureEnd(bench.main, &instance) == ACL_ERROR_RT_STREAM_NOT_CAPTURED);
}

aclError copy_in_thread(const Bench& bench, int mode) {
    aclError code = 0;
    aclrtContext context = nullptr;
    CHECK(aclrtGetCurrentContext(&context) == 0);
    std::thread([&] {
        CHECK(aclrtSetCurrentContext(context) == 0);
        auto wanted = static_cast<aclmdlRICaptureMode>(mode);
        if (mode >= 0) CHECK(aclmdlRICaptureThreadExchangeMode(&wanted) == 0 && wanted == global);
        Bytes bytes(size);
        code = aclrtMemcpy(bytes.data(), size, bench.blocks[0], size, ACL_MEMCPY_DEVICE_TO_HOST);
    }).join();
    return code;
}

void test_modes() {
    for (auto mode : {global, thread_local_mode, relaxed}) {
        Bench bench;
        bench.fill(0, 3);
        aclmdlRI instance = nullptr;
        Bytes bytes(size);
        CHECK(aclmdlRICaptureBegin(bench.main, mode) == 0);
        aclError own = mode == relaxed ? 0 : ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT;
        CHECK(aclrtMemcpy(bytes.data(), size, bench.blocks[0], size, ACL_MEMCPY_DEVICE_TO_HOST) == own);
        CHECK(aclrtMemset(bench.blocks[1], size, 0, size) == own);
        CHECK(aclrtMemcpy2d(bytes.data(), 8, bench.blocks[0], 8, 8, 8, ACL_MEMCPY_DEVICE_TO_HOST) == own);
        aclError blocking = mode == relaxed ? 0 : ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC;
        CHECK(aclrtMemcpyAsync(bytes.data(), size, bench.blocks[0], size, ACL_MEMCPY_DEVICE_TO_HOST, bench.side) == blocking);
        CHECK(copy_in_thread(bench, -1) == (mode == global ? ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT : 0));
        CHECK(copy_in_thread(bench, thread_local_mode) == 0 && copy_in_thread(bench, relaxed) == 0);
        aclmdlRICaptureMode exchanged = relaxed;
        CHECK(aclmdlRICaptureThreadExchangeMode(&exchanged) == 0 && exchanged == global);
        CHECK(aclrtMemcpy(bytes.data(), size, bench.blocks[0], size, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
        CHECK(bytes == Bytes(size, 3));
        CHECK(aclmdlRICaptureThreadExchangeMode(&exchanged) == 0 && exchanged == relaxed);
        void* memory = nullptr;
        CHECK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && aclrtFree(memory) == 0);
        CHECK(aclrtSynchronizeDevice() == ACL_ERROR_RT_STREAM_CAPTURED && aclrtResetDevice(0) != 0);
        CHECK(aclrtDestroyStream(bench.main) == ACL_ERROR_RT_STREAM_CAPTURED);
        CHECK(aclrtSynchronizeStream(bench.side) == 0);
        aclError ended = 0;
        std::thread([&] {
            CHECK(aclrtSetDevice(0) == 0);
            ended = aclmdlRICaptureEnd(bench.main, &instance);
            CHECK(aclrtResetDevice(0) == 0);
        }).join();
        CHECK(ended == (mode == relaxed ? 0 : ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD));
        if (mode == relaxed) CHECK(aclmdlRIDestroy(instance) == 0);
        else CHECK(aclmdlRICaptureEnd(bench.main, &instance) == ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    }
}

void test_begin_refusals() {
    Bench bench;
    aclrtStream default_stream = nullptr;
    CHECK(aclmdlRICaptureBegin(nullptr, global) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtCtxGetCurrentDefaultStream(&default_stream) == 0);
    CHECK(aclmdlRICaptureBegin(default_stream, global) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(aclmdlRICaptureBegin(bench.main, static_cast<aclmdlRICaptureMode>(3)) == ACL_ERROR_RT_PARAM_INVALID);
    aclrtStream odd = nullptr;
    CHECK(aclrtCreateStreamWithConfig(&odd, 0, ACL_STREAM_DEVICE_USE_ONLY) == 0);
    CHECK(aclmdlRICaptureBegin(odd, global) == ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK(aclrtDestroyStream(odd) == 0);
    CHECK(aclmdlRICaptureBegin(odd, global) == ACL_ERROR_RT_INVALID_HANDLE);
    aclmdlRI instance = nullptr;
    CHECK(aclmdlRICaptureEnd(bench.main, nullptr) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclmdlRICaptureEnd(nullptr, &instance) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclmdlRICaptureGetInfo(bench.main, nullptr, nullptr) == ACL_ERROR_INVALID_PARAM);
}

std::atomic<int> called{0};
void count_call(void* data) { called += data == &called ? 1 : 100; }
void never(void*) { called += 1000; }

void test_names_and_callbacks() {
    Bench bench;
    aclmdlRI instance = nullptr;
    CHECK(aclmdlRICaptureBegin(bench.main, global) == 0 && bench.copy(1, 0, bench.main) == 0);
    CHECK(aclmdlRICaptureEnd(bench.main, &instance) == 0);
    char name[1025];
    CHECK(aclmdlRIGetName(instance, sizeof name, name) == 0 && std::string(name).empty());
    CHECK(aclmdlRISetName(instance, "first") == 0 && aclmdlRISetName(instance, "0123456789") == 0);
    CHECK(aclmdlRIGetName(instance, 11, name) == 0 && std::string(name) == "0123456789");
    CHECK(aclmdlRIGetName(instance, 10, name) != 0 && aclmdlRIGetName(instance, 0, name) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclmdlRISetName(instance, std::string(600, 'x').c_str()) == 0);
    CHECK(aclmdlRIGetName(instance, sizeof name, name) == 0 && std::string(name) == std::string(512, 'x'));
    CHECK(aclmdlRISetName(instance, "quo\"te\\ \xff") == 0);
    char path[] = "/tmp/capture_test_XXXXXX";
    int descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    for (uint32_t flags : {0, 1}) {
        CHECK(aclmdlRIDebugJsonPrint(instance, path, flags) == 0);
        std::ifstream file(path);
        CHECK(balanced(std::string(std::istreambuf_iterator<char>(file), {})));
    }
    CHECK(close(descriptor) == 0 && unlink(path) == 0);
    CHECK(aclmdlRIDebugJsonPrint(instance, "/no/such/folder/x.json", 0) != 0);
    CHECK(aclmdlRIDestroyRegisterCallback(instance, count_call, &called) == 0);
    CHECK(aclmdlRIDestroyRegisterCallback(instance, count_call, &called) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclmdlRIDestroyRegisterCallback(instance, never, nullptr) == 0);
    CHECK(aclmdlRIDestroyUnregisterCallback(instance, never) == 0);
    CHECK(aclmdlRIDestroyUnregisterCallback(instance, never) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclmdlRIUpdate(instance) == 0 && aclmdlRIDestroy(instance) == 0 && called == 1);
}

void test_built() {
    Bench bench;
    aclmdlRI instance = nullptr;
    aclrtStream bound = nullptr;
    CHECK(aclmdlRIBuildBegin(&instance, 1) == ACL_ERROR_RT_PARAM_INVALID && aclmdlRIBuildBegin(&instance, 0) == 0);
    CHECK(aclmdlRIBindStream(instance, bench.main, ACL_MODEL_STREAM_FLAG_HEAD) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtCreateStreamWithConfig(&bound, 0, ACL_STREAM_PERSISTENT) == 0);
    CHECK(aclmdlRIBindStream(instance, bound, 1) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclmdlRIBindStream(instance, bound, ACL_MODEL_STREAM_FLAG_HEAD) == 0);
    CHECK(aclmdlRIBindStream(instance, bound, ACL_MODEL_STREAM_FLAG_HEAD) == ACL_ERROR_RT_STREAM_MODEL);
    CHECK(aclmdlRICaptureBegin(bound, global) == ACL_ERROR_RT_STREAM_MODEL);
    CHECK(aclmdlRIExecuteAsync(instance, bench.main) == ACL_ERROR_RT_MODEL_EXECUTE);
    bench.fill(0, 6), bench.fill(1, 0);
    CHECK(bench.copy(1, 0, bound) == 0);
    CHECK(aclmdlRIEndTask(instance, bound) == 0 && aclmdlRIEndTask(instance, bench.main) != 0);
    CHECK(aclmdlRIBuildEnd(instance, &instance) == ACL_ERROR_INVALID_PARAM && aclmdlRIBuildEnd(instance, nullptr) == 0);
    CHECK(bench.holds(1, 0));
    CHECK(aclmdlRIExecute(instance, 0) == ACL_ERROR_RT_PARAM_INVALID && aclmdlRIExecute(instance, -2) != 0);
    CHECK(aclmdlRIExecute(instance, -1) == 0 && bench.holds(1, 6));
    CHECK(aclmdlRIAbort(instance) == 0 && aclmdlRIExecute(instance, 1000) == 0);
    CHECK(aclmdlRIExecuteAsync(instance, bound) == ACL_ERROR_RT_PARAM_INVALID);
    bench.fill(1, 0);
    bench.run(instance, bench.main);
    CHECK(bench.holds(1, 6));
    CHECK(aclmdlRIUpdate(instance) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(aclmdlRIUnbindStream(instance, bound) == 0);
    CHECK(aclmdlRIUnbindStream(instance, bound) == ACL_ERROR_RT_STREAM_MODEL);
    CHECK(aclmdlRIDestroy(instance) == 0 && aclrtDestroyStream(bound) == 0);
}

/// A built instance that waits: time-out, abort, and another execution after it.
void test_built_waiting() {
    Bench bench;
    aclmdlRI instance = nullptr;
    aclrtStream bound = nullptr;
    bench.fill(0, 0);
    CHECK(aclmdlRIBuildBegin(&instance, 0) == 0);
    CHECK(aclrtCreateStreamWithConfig(&bound, 0, ACL_STREAM_PERSISTENT) == 0);
    CHECK(aclmdlRIBindStream(instance, bound, ACL_MODEL_STREAM_FLAG_HEAD) == 0);
    CHECK(aclrtValueWait(bench.blocks[0], 1, ACL_STREAM_WAIT_VALUE_EQ, bound) == 0 && bench.copy(1, 0, bound) == 0);
    CHECK(aclmdlRIEndTask(instance, bound) == 0 && aclmdlRIBuildEnd(instance, nullptr) == 0);
    CHECK(aclmdlRIExecute(instance, 1) != 0);
    CHECK(aclmdlRIExecuteAsync(instance, bench.main) == 0);
    CHECK(aclmdlRIAbort(instance) == 0);
    CHECK(aclrtSynchronizeStream(bench.main) != 0);
    uint64_t one = 1;
    CHECK(aclrtMemcpy(bench.blocks[0], 8, &one, 8, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    CHECK(aclmdlRIExecute(instance, -1) == 0);
    CHECK(aclrtMemcpy(&one, 8, bench.blocks[1], 8, ACL_MEMCPY_DEVICE_TO_HOST) == 0 && one == 1);
    CHECK(aclmdlRIDestroy(instance) == 0 && aclrtDestroyStream(bound) == 0);
}

void test_conditions() {
    Bench bench;
    for (auto type : {ACL_MODEL_RI_COND_TYPE_IF, ACL_MODEL_RI_COND_TYPE_SWITCH, ACL_MODEL_RI_COND_TYPE_WHILE}) {
        aclmdlRI told = nullptr;
        aclmdlRI body = nullptr;
        aclmdlRI instance = nullptr;
        aclmdlRICondHandle condition = nullptr;
        uint64_t* value = nullptr;
        CHECK(aclmdlRICaptureBegin(bench.main, global) == 0);
        CHECK(aclmdlRICaptureGetInfo(bench.main, nullptr, &told) == 0);
        CHECK(aclmdlRICondHandleCreate(told, 0, static_cast<aclmdlRICondHandleFlag>(2), &condition) ==
              ACL_ERROR_RT_PARAM_INVALID);
        CHECK(aclmdlRICondHandleCreate(told, 0, static_cast<aclmdlRICondHandleFlag>(0), &condition) == 0);
        CHECK(aclmdlRICondHandleGetCondPtr(condition, &value) == 0 && value != nullptr);
        aclmdlRICondTaskParams parameters{condition, type, 1, &body};
        CHECK(aclmdlRIAddCondTask(parameters, bench.side, 0) == ACL_ERROR_RT_STREAM_NOT_CAPTURED);
        CHECK(aclmdlRIAddCondTask(parameters, bench.main, 1) == ACL_ERROR_RT_PARAM_INVALID);
        CHECK(aclmdlRIAddCondTask(parameters, bench.main, 0) == 0 && body != nullptr);
        CHECK(aclmdlRIAddCondTask(parameters, bench.main, 0) == ACL_ERROR_RT_PARAM_INVALID);
        CHECK(aclmdlRICaptureToModelRIBegin(bench.side, told, global) == ACL_ERROR_RT_PARAM_INVALID);
        CHECK(aclmdlRICaptureToModelRIBegin(bench.side, body, global) == 0);
        CHECK(bench.copy(1, 0, bench.side) == 0);
        if (type == ACL_MODEL_RI_COND_TYPE_WHILE)
            CHECK(aclrtMemsetAsync(value, sizeof *value, 0, sizeof *value, bench.side) == 0);
        CHECK(aclmdlRICaptureEnd(bench.side, &told) == 0 && told == body);
        CHECK(aclmdlRICaptureEnd(bench.main, &instance) == 0);
        CHECK(aclmdlRIExecuteAsync(body, bench.main) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        CHECK(aclmdlRIDestroy(body) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        for (uint64_t chosen : {0, 1}) {
            bench.fill(0, 8), bench.fill(1, 0);
            CHECK(aclrtMemcpy(value, sizeof chosen, &chosen, sizeof chosen, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
            bench.run(instance, bench.main);
            bool ran = type == ACL_MODEL_RI_COND_TYPE_SWITCH ? chosen == 0 : chosen != 0;
            CHECK(bench.holds(1, ran ? 8 : 0));
        }
        CHECK(aclmdlRIDestroy(instance) == 0);
    }
}

void test_groups() {
    Bench bench;
    aclmdlRI instance = nullptr;
    aclrtTaskGrp group = nullptr;
    CHECK(aclmdlRICaptureTaskGrpBegin(bench.main) == ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    CHECK(aclmdlRICaptureBegin(bench.main, global) == 0);
    CHECK(aclmdlRICaptureTaskGrpEnd(bench.main, &group) == ACL_ERROR_STREAM_TASK_GROUP_STATUS);
    CHECK(aclmdlRICaptureTaskGrpBegin(bench.main) == 0);
    CHECK(aclmdlRICaptureTaskGrpBegin(bench.main) == ACL_ERROR_STREAM_TASK_GROUP_STATUS);
    CHECK(bench.copy(1, 0, bench.main) == ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT);
    CHECK(aclmdlRICaptureTaskGrpEnd(bench.main, &group) == 0 && group != nullptr);
    CHECK(aclmdlRICaptureTaskUpdateBegin(bench.main, group) == ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK(aclmdlRICaptureEnd(bench.main, &instance) == 0);
    CHECK(aclmdlRICaptureTaskUpdateEnd(bench.main) == ACL_ERROR_STREAM_TASK_GROUP_STATUS);
    CHECK(aclmdlRICaptureTaskUpdateBegin(bench.main, group) == 0);
    CHECK(aclmdlRICaptureTaskUpdateBegin(bench.side, group) == ACL_ERROR_STREAM_TASK_GROUP_STATUS);
    CHECK(aclmdlRICaptureTaskUpdateEnd(bench.main) == 0 && aclrtSynchronizeStream(bench.main) == 0);
    CHECK(aclmdlRIDestroy(instance) == 0);
    CHECK(aclmdlRICaptureBegin(bench.main, global) == 0 && aclmdlRICaptureTaskGrpBegin(bench.main) == 0);
    CHECK(aclmdlRICaptureEnd(bench.main, &instance) == ACL_ERROR_STREAM_TASK_GROUP_STATUS);
}

/// A task of a capture that waits for a value holds the execution: updating and destroying have to cope.
void test_running() {
    Bench bench;
    aclmdlRI instance = nullptr;
    bench.fill(0, 0);
    CHECK(aclmdlRICaptureBegin(bench.main, global) == 0);
    CHECK(aclrtValueWait(bench.blocks[0], 1, ACL_STREAM_WAIT_VALUE_EQ, bench.main) == 0);
    CHECK(aclmdlRICaptureEnd(bench.main, &instance) == 0);
    CHECK(aclmdlRIExecuteAsync(instance, bench.main) == 0);
    CHECK(aclmdlRIUpdate(instance) == ACL_ERROR_RT_MODEL_UPDATE_FAILED);
    uint64_t one = 1;
    std::thread([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        CHECK(aclrtSetDevice(0) == 0);
        CHECK(aclrtMemcpy(bench.blocks[0], 8, &one, 8, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
        CHECK(aclrtResetDevice(0) == 0);
    }).detach();
    CHECK(aclmdlRIDestroy(instance) == 0);
    CHECK(aclrtSynchronizeStream(bench.main) == 0);
}

/// Captures in two threads while a third one copies; meant for the thread sanitizer.
void test_threads() {
    Bench bench;
    std::atomic<bool> stop{false};
    std::thread noise([&] {
        CHECK(aclrtSetDevice(0) == 0);
        aclrtStream stream = nullptr;
        CHECK(aclrtCreateStream(&stream) == 0);
        Bytes bytes(size, 4);
        while (!stop) {
            CHECK(aclrtMemcpyAsync(bench.blocks[3], size, bytes.data(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream) == 0);
            CHECK(aclrtSynchronizeStream(stream) == 0);
        }
        CHECK(aclrtDestroyStream(stream) == 0 && aclrtResetDevice(0) == 0);
    });
    auto work = [&](aclrtStream stream, int to) {
        CHECK(aclrtSetDevice(0) == 0);
        for (int round = 0; round < 20; ++round) {
            aclmdlRI instance = nullptr;
            CHECK(aclmdlRICaptureBegin(stream, thread_local_mode) == 0);
            for (int i = 0; i < 50; ++i) CHECK(bench.copy(to, 0, stream) == 0);
            CHECK(aclmdlRICaptureEnd(stream, &instance) == 0);
            CHECK(aclmdlRIExecuteAsync(instance, stream) == 0 && aclrtSynchronizeStream(stream) == 0);
            CHECK(aclmdlRIDestroy(instance) == 0);
        }
        CHECK(aclrtResetDevice(0) == 0);
    };
    std::thread first(work, bench.main, 1);
    std::thread second(work, bench.side, 2);
    first.join();
    second.join();
    stop = true;
    noise.join();
}

void test_other_products() {
    CHECK(aclrefConfigure("product=910;form=EP;cann=9.0") == 0 && aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream) == 0);
    CHECK(aclmdlRICaptureBegin(stream, global) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(aclrtDestroyStream(stream) == 0 && aclrefReset() == 0);
}

}  // namespace

int main() {
    test_replay();
    test_joining();
    test_undisturbed();
    test_external_events();
    test_contexts();
    test_unjoined();
    test_invalidation();
    test_modes();
    test_begin_refusals();
    test_names_and_callbacks();
    test_built();
    test_built_waiting();
    test_conditions();
    test_groups();
    test_running();
    test_threads();
    test_other_products();
    return checks::result();
}
