// Initialisation, devices, contexts, streams, events, notifies and callbacks through the public interface.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclref_control.h"
#include "checks.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// A library on one profile, device 0 current.
struct Session {
    explicit Session(const char* profile = "product=910b") {
        CHECK(aclrefConfigure(profile) == 0);
        CHECK(aclInit(nullptr) == 0);
        CHECK(aclrtSetDevice(0) == 0);
    }
    ~Session() {
        aclrefSetFault("");
        CHECK(aclrefReset() == 0);
    }
};

struct OwnStream {
    OwnStream() { CHECK(aclrtCreateStream(&at) == 0); }
    ~OwnStream() { CHECK(aclrtDestroyStream(at) == 0); }
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(const OwnStream&) = delete;
    operator aclrtStream() const { return at; }
    aclrtStream at = nullptr;
};

struct OwnEvent {
    explicit OwnEvent(unsigned flag = 0) {
        CHECK((flag ? aclrtCreateEventExWithFlag(&at, flag) : aclrtCreateEvent(&at)) == 0);
    }
    ~OwnEvent() { CHECK(aclrtDestroyEvent(at) == 0); }
    OwnEvent(const OwnEvent&) = delete;
    OwnEvent& operator=(const OwnEvent&) = delete;
    operator aclrtEvent() const { return at; }
    aclrtEvent at = nullptr;
};

/// A device word that tasks write.
struct Word {
    Word() { CHECK(aclrtMalloc(&at, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && aclrtMemset(at, 64, 0, 64) == 0); }
    ~Word() { CHECK(aclrtFree(at) == 0); }
    Word(const Word&) = delete;
    Word& operator=(const Word&) = delete;
    void set(aclrtStream stream, int value) const { CHECK(aclrtMemsetAsync(at, 1, value, 1, stream) == 0); }
    int get() const {
        unsigned char value = 0;
        CHECK(aclrtMemcpy(&value, 1, at, 1, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
        return value;
    }
    void* at = nullptr;
};

/// A host function that holds its stream until it is released.
struct Gate {
    void hold(aclrtStream stream) {
        CHECK(aclrtLaunchHostFunc(stream, [](void* self) {
                  auto* gate = static_cast<Gate*>(self);
                  while (!gate->open) std::this_thread::sleep_for(1ms);
                  ++gate->passed;
              }, this) == 0);
    }
    void release() { open = true; }
    std::atomic<bool> open{false};
    std::atomic<int> passed{0};
};

template <class Duration>
bool within(Duration limit, const std::function<void()>& work) {
    auto start = steady_clock::now();
    work();
    return steady_clock::now() - start < limit;
}

std::string live() {
    char text[2048];
    aclrefLiveObjects(text, sizeof(text));
    return text;
}

void test_init() {
    CHECK(aclrefConfigure("product=910b") == 0);
    CHECK(aclrtSetDevice(0) == ACL_ERROR_UNINITIALIZE);
    CHECK(aclInit("") == 0);
    CHECK(aclInit("no such file") == ACL_ERROR_REPEAT_INITIALIZE);
    CHECK(aclrtSetDevice(0) == 0);
    CHECK(aclFinalize() == 0);
    CHECK(aclFinalize() == ACL_ERROR_REPEAT_FINALIZE);
    CHECK(aclInit(nullptr) == 0 && aclInit(nullptr) == ACL_ERROR_REPEAT_INITIALIZE);
    std::uint64_t left = 7;
    CHECK(aclFinalizeReference(&left) == 0 && left == 1);
    CHECK(aclFinalizeReference(&left) == 0 && left == 0);
    CHECK(aclFinalizeReference(&left) == ACL_ERROR_REPEAT_FINALIZE && left == 0);
    CHECK(aclrefConfigure("product=nothing") != 0 && std::string(aclrefLastError()).find("nothing") != std::string::npos);
    CHECK(aclrefConfigure("product=910b;form=RC") != 0);
    CHECK(aclrefConfigure("memory=lots") != 0);
}

/// A configuration file that goes with the object.
struct ConfigFile {
    explicit ConfigFile(const std::string& text) : path(std::filesystem::temp_directory_path() / "aclref-config-XXXXXX") {
        int descriptor = ::mkstemp(path.data());
        CHECK(descriptor >= 0 && ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
        ::close(descriptor);
    }
    ~ConfigFile() { ::unlink(path.c_str()); }
    ConfigFile(const ConfigFile&) = delete;
    ConfigFile& operator=(const ConfigFile&) = delete;
    std::string path;
};

aclError init_with(const std::string& text) {
    CHECK(aclrefReset() == 0);
    return aclInit(ConfigFile(text).path.c_str());
}

std::string nested(const char* open, const char* close, int depth) {
    std::string text = "{\"k\":";
    for (int at = 0; at < depth; ++at) text += open;
    text += "0";
    for (int at = 0; at < depth; ++at) text += close;
    return text + "}";
}

void test_configuration() {
    CHECK(aclrefConfigure("product=910b") == 0);
    CHECK(init_with("{}") == 0);
    CHECK(init_with("{\"dump\":") == ACL_ERROR_PARSE_FILE);
    CHECK(init_with(nested("[", "]", 10)) == 0);
    CHECK(init_with(nested("[", "]", 11)) == ACL_ERROR_PARSE_FILE);
    CHECK(init_with(nested("{\"a\":", "}", 9)) == 0);
    CHECK(init_with(nested("{\"a\":", "}", 10)) == ACL_ERROR_PARSE_FILE);
    CHECK(aclInit("/no/such/file") == ACL_ERROR_INVALID_FILE);
    CHECK(aclInit("/") == ACL_ERROR_INVALID_FILE);
    CHECK(init_with("{\"err_msg_mode\":\"2\"}") == ACL_ERROR_INVALID_PARAM);
    CHECK(init_with("{\"defaultDevice\":{\"default_device\":\"-1\"}}") == ACL_ERROR_FAILURE);
    CHECK(init_with("{\"defaultDevice\":{\"default_device\":\"2\"}}") == ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK(init_with("{\"defaultDevice\":{\"default_device\":\"1\"}}") == 0);
    int device = -1;
    CHECK(aclrtGetDevice(&device) == 0 && device == 1);
    { OwnStream works_without_set_device; }
    CHECK(aclrtSetDevice(0) == 0 && aclrtGetDevice(&device) == 0 && device == 0);
    std::size_t limit = 0;
    CHECK(init_with("{\"StackSize\":{\"aicore_stack_size\":32769}}") == 0);
    CHECK(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &limit) == 0 && limit == 49152);
    CHECK(init_with("{\"StackSize\":{\"aicore_stack_size\":196609}}") != 0);
    CHECK(init_with("{\"dump\":{\"dump_debug\":\"on\"}}") == ACL_ERROR_INVALID_DUMP_CONFIG);
    CHECK(init_with("{\"err_msg_mode\":\"1\"}") == 0);
    std::thread([] { CHECK(aclrtSetDevice(99) == ACL_ERROR_RT_INVALID_DEVICEID); }).join();
    const char* text = aclGetRecentErrMsg();
    CHECK(text != nullptr && std::strstr(text, "aclrtSetDevice") != nullptr);
    CHECK(aclrefReset() == 0);
}

int calls_seen = 0;

void test_init_callbacks() {
    CHECK(aclrefConfigure("product=910b") == 0);
    calls_seen = 0;
    aclInitCallbackFunc on_init = [](const char* text, std::size_t length, void* user) {
        calls_seen += std::string(text, length) == "{ }" && user == &calls_seen ? 1 : 100;
        return 0;
    };
    aclFinalizeCallbackFunc on_finalise = [](void*) {
        calls_seen += 10;
        return 0;
    };
    CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, &calls_seen) == 0);
    CHECK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, nullptr, nullptr) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, on_finalise, nullptr) == 0);
    {
        ConfigFile config("{ }");
        CHECK(aclInit(config.path.c_str()) == 0 && calls_seen == 1);
    }
    CHECK(aclInit("no such file") == ACL_ERROR_REPEAT_INITIALIZE && calls_seen == 1);
    CHECK(aclFinalizeReference(nullptr) == 0 && calls_seen == 1);
    CHECK(aclFinalizeReference(nullptr) == 0 && calls_seen == 11);
    CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, on_init) == 0);
    CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, on_init) == ACL_ERROR_INTERNAL_ERROR);
    CHECK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, on_finalise) == 0);
    CHECK(aclrefReset() == 0);
}

void test_devices() {
    Session session;
    int device = -1;
    CHECK(aclrtSetDevice(0) == 0);
    CHECK(aclrtSetDevice(-1) == ACL_ERROR_RT_INVALID_DEVICEID && aclrtGetDevice(&device) == 0 && device == 0);
    CHECK(aclrtSetDevice(2) == ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK(aclrtResetDevice(0) == 0);
    { OwnStream still_works; }
    std::thread([] {
        int mine = -1;
        CHECK(aclrtGetDevice(&mine) == ACL_ERROR_RT_CONTEXT_NULL);
        aclrtStream stream = nullptr;
        CHECK(aclrtCreateStream(&stream) == ACL_ERROR_RT_CONTEXT_NULL);
        CHECK(aclrtSetDevice(1) == 0 && aclrtGetDevice(&mine) == 0 && mine == 1);
        CHECK(aclrtResetDevice(1) == 0);
    }).join();
    CHECK(aclrtGetDevice(&device) == 0 && device == 0);
    std::uint32_t before = 0;
    std::uint32_t after = 0;
    CHECK(aclrtGetStreamAvailableNum(&before) == 0);
    aclrtStream lost[3];
    for (auto& stream : lost) CHECK(aclrtCreateStream(&stream) == 0);
    Gate gate;
    aclrtStream main = nullptr;
    CHECK(aclrtCtxGetCurrentDefaultStream(&main) == 0);
    gate.hold(main);
    std::thread release([&] {
        std::this_thread::sleep_for(50ms);
        gate.release();
    });
    CHECK(aclrtResetDevice(0) == 0 && gate.passed == 1);
    release.join();
    CHECK(aclrtGetDevice(&device) == ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(aclrtResetDevice(0) == ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    CHECK(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    CHECK(aclrtResetDeviceForce(0) != 0 && aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 0);
    CHECK(aclrtSetDevice(0) == 0 && aclrtGetStreamAvailableNum(&after) == 0 && before == after);
    CHECK(aclrtSetDevice(0) == 0 && aclrtResetDeviceForce(0) == 0 && aclrtResetDevice(0) != 0);
    std::int32_t active = 7;
    CHECK(aclrtGetPrimaryCtxState(0, nullptr, &active) == 0 && active == 0);
}

void test_device_facts() {
    struct Expected {
        const char* profile;
        std::int64_t arch;
        aclrtRunMode mode;
    };
    for (const Expected& one : {Expected{"product=950", 3510, ACL_HOST}, Expected{"product=A3", 2201, ACL_HOST},
                                Expected{"product=310b;form=RC", 3002, ACL_DEVICE},
                                Expected{"product=310p;form=ccpu", 2002, ACL_DEVICE},
                                Expected{"product=910", 1001, ACL_HOST}}) {
        Session session(one.profile);
        std::int64_t value = 0;
        CHECK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_NPU_ARCH, &value) == 0 && value == one.arch);
        CHECK(aclrtGetDeviceInfo(2, ACL_DEV_ATTR_NPU_ARCH, &value) == ACL_ERROR_RT_PARAM_INVALID);
        CHECK(aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(9999), &value) != 0);
        aclrtRunMode mode = ACL_DEVICE;
        CHECK(aclrtGetRunMode(&mode) == 0 && mode == one.mode);
        CHECK(aclrtGetSocName() != nullptr && std::strlen(aclrtGetSocName()) > 0);
        std::uint32_t cores = 0;
        CHECK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, &cores) == 0 && cores > 0);
        CHECK(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, cores + 1) == ACL_ERROR_RT_PARAM_INVALID);
    }
    Session session("product=IPV350");
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT && stream == nullptr);
    aclrtStreamConfigHandle* handle = aclrtCreateStreamConfigHandle();
    std::uint32_t priority = 3;
    CHECK(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_PRIORITY, &priority, sizeof(priority)) == 0);
    CHECK(aclrtCreateStreamV2(&stream, handle) == 0 && aclrtDestroyStreamConfigHandle(handle) == 0);
    CHECK(aclrtSynchronizeStream(stream) == 0 && aclrtDestroyStream(stream) == 0);
    CHECK(aclInit(nullptr) == 0 && aclFinalize() == 0 && aclrtSetDevice(0) == 0);
}

void test_contexts() {
    Session session;
    aclrtContext first = nullptr;
    aclrtContext second = nullptr;
    aclrtContext now = nullptr;
    aclrtContext main = nullptr;
    CHECK(aclrtGetCurrentContext(&main) == 0);
    CHECK(aclrtCreateContext(&first, 0) == 0 && aclrtGetCurrentContext(&now) == 0 && now == first);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream) == 0);
    CHECK(aclrtCreateContext(&second, 1) == 0);
    int device = -1;
    CHECK(aclrtGetDevice(&device) == 0 && device == 1);
    CHECK(aclrtDestroyStream(stream) == ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK(aclrtSynchronizeStream(stream) == 0);
    OwnEvent other_device;
    CHECK(aclrtSetCurrentContext(first) == 0 && aclrtRecordEvent(other_device, stream) != 0);
    CHECK(aclrtDestroyStream(stream) == 0 && aclrtDestroyStream(stream) == ACL_ERROR_RT_INVALID_HANDLE);
    std::int64_t value = 7;
    CHECK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value) == ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    CHECK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 2) == 0);
    CHECK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value) == 0 && value == 2);
    CHECK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value) == 0 && value == 0);
    CHECK(aclrtDestroyContext(main) == ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(aclrtDestroyContext(first) == 0 && aclrtDestroyContext(first) == ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(aclrtCreateStream(&stream) == ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(aclrtSetCurrentContext(first) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtSetCurrentContext(main) == 0 && aclrtDestroyContext(second) == 0);
    CHECK(live().find("\"contexts\":0") != std::string::npos);
}

void test_streams() {
    Session session;
    Word word;
    OwnStream stream;
    for (int value = 1; value <= 100; ++value) word.set(stream, value);
    CHECK(aclrtSynchronizeStream(stream) == 0 && word.get() == 100);
    // Work is held back: what is read before the synchronise is the old value, unless this thread was held up.
    bool saw_old = false;
    for (int attempt = 0; attempt < 50 && !saw_old; ++attempt) {
        word.set(stream, 8);
        CHECK(aclrtSynchronizeStream(stream) == 0);
        word.set(stream, 7);
        saw_old = word.get() == 8;
        CHECK(aclrtSynchronizeStream(stream) == 0 && word.get() == 7);
    }
    CHECK(saw_old);

    Gate gate;
    gate.hold(stream);
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    CHECK(aclrtStreamQuery(stream, &status) == 0 && status == ACL_STREAM_STATUS_NOT_READY);
    CHECK(aclrtSynchronizeStreamWithTimeout(stream, 0) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtSynchronizeStreamWithTimeout(stream, 30) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK(aclrtSynchronizeDeviceWithTimeout(30) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK(within(1s, [] { CHECK(aclrtSynchronizeStream(nullptr) == 0); }));
    gate.release();
    CHECK(aclrtSynchronizeDevice() == 0 && gate.passed == 1);
    CHECK(aclrtStreamQuery(stream, &status) == 0 && status == ACL_STREAM_STATUS_COMPLETE);

    aclrtStream parked = nullptr;
    CHECK(aclrtCreateStreamWithConfig(&parked, 0, ACL_STREAM_PERSISTENT) == 0);
    word.set(parked, 99);
    CHECK(aclrtSynchronizeStream(parked) == 0);
    std::this_thread::sleep_for(20ms);
    CHECK(word.get() == 7 && aclrtDestroyStream(parked) == 0);
    CHECK(aclrtCreateStreamWithConfig(&parked, 0, ACL_STREAM_DEVICE_USE_ONLY | 1) == ACL_ERROR_RT_PARAM_INVALID);

    std::uint32_t free_streams = 0;
    CHECK(aclrtGetStreamAvailableNum(&free_streams) == 0);
    std::vector<aclrtStream> many(free_streams);
    for (auto& each : many) CHECK(aclrtCreateStream(&each) == 0);
    aclrtStream too_many = nullptr;
    CHECK(aclrtCreateStream(&too_many) == ACL_ERROR_RT_NO_STREAM_RESOURCE && too_many == nullptr);
    CHECK(aclrtDestroyStream(many.back()) == 0 && aclrtCreateStream(&many.back()) == 0);
    for (auto& each : many) CHECK(aclrtDestroyStream(each) == 0);
}

/// Tasks of a persistent stream belong to the instance it is bound to, unless they were cleaned away before.
void test_persistent_tasks() {
    Session session;
    Word cleaned;
    Word kept;
    aclrtStream stream = nullptr;
    CHECK(aclrtPersistentTaskClean(nullptr) != 0);
    CHECK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT) == 0);
    cleaned.set(stream, 1);
    CHECK(aclrtPersistentTaskClean(stream) == 0);
    kept.set(stream, 2);
    aclmdlRI instance = nullptr;
    CHECK(aclmdlRIBuildBegin(&instance, 0) == 0 && aclmdlRIBindStream(instance, stream, ACL_MODEL_STREAM_FLAG_HEAD) == 0);
    CHECK(aclmdlRIEndTask(instance, stream) == 0 && aclmdlRIBuildEnd(instance, nullptr) == 0);
    CHECK(kept.get() == 0 && aclmdlRIExecute(instance, -1) == 0 && kept.get() == 2 && cleaned.get() == 0);
    CHECK(aclmdlRIUnbindStream(instance, stream) == 0 && aclmdlRIDestroy(instance) == 0 && aclrtDestroyStream(stream) == 0);
}

void test_abort() {
    Session session;
    Word word;
    OwnStream stream;
    aclrtNotify notify = nullptr;
    CHECK(aclrtCreateNotify(&notify, 0) == 0);
    OwnEvent event;
    CHECK(aclrtWaitAndResetNotify(notify, stream, 0) == 0);
    word.set(stream, 5);
    CHECK(aclrtRecordEvent(event, stream) == 0);
    std::thread waits_for_stream([&] {
        CHECK(aclrtSetDevice(0) == 0 && aclrtSynchronizeStream(stream) == ACL_ERROR_RT_STREAM_ABORT && aclrtResetDevice(0) == 0);
    });
    std::thread waits_for_event([&] { CHECK(aclrtSynchronizeEvent(event) == ACL_ERROR_RT_STREAM_ABORT); });
    std::this_thread::sleep_for(300ms);
    CHECK(aclrtStreamAbort(stream) == 0);
    waits_for_stream.join();
    waits_for_event.join();
    CHECK(aclrtRecordNotify(notify, nullptr) == 0 && aclrtSynchronizeStream(nullptr) == 0 && word.get() == 0);
    word.set(stream, 6);
    CHECK(aclrtSynchronizeStream(stream) == 0 && word.get() == 6);
    CHECK(aclrtDestroyNotify(notify) == 0 && aclrtDestroyNotify(notify) == ACL_ERROR_RT_INVALID_HANDLE);
}

std::atomic<int> exceptions{0};

void test_failures() {
    Session session;
    Word word;
    aclrtExceptionInfoCallback callback = [](aclrtExceptionInfo* info) {
        if (aclrtGetErrorCodeFromExceptionInfo(info) == 507015 && aclrtGetDeviceIdFromExceptionInfo(info) == 0) ++exceptions;
    };
    CHECK(aclrtExceptionInfoCallbackRegister(callback) == 0 && aclrtExceptionInfoCallbackRegister(callback) == 0);
    {
        OwnStream stream;
        OwnEvent event;
        CHECK(aclrefInjectTaskError(stream, 1, ACL_ERROR_RT_AICORE_EXCEPTION) == 0);
        word.set(stream, 1);
        word.set(stream, 2);
        word.set(stream, 3);
        CHECK(aclrtRecordEvent(event, stream) == 0);
        aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
        aclError asked = 0;
        while ((asked = aclrtQueryEventStatus(event, &status)) == 0 && status == ACL_EVENT_RECORDED_STATUS_NOT_READY)
            std::this_thread::sleep_for(1ms);
        CHECK(asked == ACL_ERROR_RT_AICORE_EXCEPTION);
        CHECK(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_AICORE_EXCEPTION);
        CHECK(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_AICORE_EXCEPTION);
        CHECK(aclrtSynchronizeStream(stream) == 0 && word.get() == 3 && exceptions == 1);
    }
    CHECK(aclrtExceptionInfoCallbackUnregister(callback) == 0);
    aclrtContext own = nullptr;
    CHECK(aclrtCreateContext(&own, 0) == 0);
    aclrtStream stopping = nullptr;
    aclrtStream neighbour = nullptr;
    CHECK(aclrtCreateStream(&stopping) == 0 && aclrtCreateStream(&neighbour) == 0);
    CHECK(aclrtSetStreamFailureMode(stopping, ACL_STOP_ON_FAILURE) == 0);
    CHECK(aclrtSetStreamFailureMode(stopping, ACL_CONTINUE_ON_FAILURE) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(aclrefInjectTaskError(stopping, 0, ACL_ERROR_RT_AICORE_EXCEPTION) == 0);
    word.set(stopping, 8);
    CHECK(aclrtSynchronizeStream(stopping) == ACL_ERROR_RT_AICORE_EXCEPTION);
    CHECK(aclrtMemsetAsync(word.at, 1, 9, 1, neighbour) == ACL_ERROR_RT_AICORE_EXCEPTION && word.get() == 3);
    CHECK(aclrtDestroyContext(own) == 0 && aclrtSetDevice(0) == 0);
    CHECK(aclrefInjectCallError("aclrtCreateStream", 1, ACL_ERROR_RT_NO_STREAM_RESOURCE) == 0);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream) == ACL_ERROR_RT_NO_STREAM_RESOURCE);
    CHECK(aclrefInjectCallError("noSuchFunction", 1, 1) != 0);
    OwnStream again;
}

void test_events() {
    Session session;
    Word word;
    OwnStream first;
    OwnStream second;
    OwnEvent event;
    OwnEvent extended(ACL_EVENT_SYNC);
    aclrtEventRecordedStatus status{};
    CHECK(aclrtQueryEventStatus(event, &status) == 0 && status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    CHECK(aclrtQueryEventStatus(extended, &status) == 0 && status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    CHECK(aclrtStreamWaitEvent(second, event) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtStreamWaitEvent(second, extended) == 0 && aclrtSynchronizeStream(second) == 0);

    Gate gate;
    gate.hold(first);
    word.set(first, 1);
    CHECK(aclrtRecordEvent(event, first) == 0);
    CHECK(aclrtStreamWaitEvent(second, event) == 0);
    word.set(second, 2);
    aclrtEventWaitStatus waiting{};
    CHECK(aclrtQueryEventWaitStatus(event, &waiting) == 0 && waiting == ACL_EVENT_WAIT_STATUS_NOT_READY);
    CHECK(aclrtSynchronizeEventWithTimeout(event, 20) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT && word.get() == 0);
    gate.release();
    CHECK(aclrtSynchronizeStream(second) == 0 && word.get() == 2);
    CHECK(aclrtQueryEventWaitStatus(event, &waiting) == 0 && waiting == ACL_EVENT_WAIT_STATUS_COMPLETE);

    OwnEvent start;
    float ms = -1;
    CHECK(aclrtEventElapsedTime(&ms, start, event) == ACL_ERROR_RT_INTERNAL_ERROR && ms == -1);
    CHECK(aclrtRecordEvent(start, first) == 0);
    Gate pause;
    pause.hold(first);
    CHECK(aclrtRecordEvent(event, first) == 0);
    CHECK(aclrtEventElapsedTime(&ms, start, event) == ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID && ms == -1);
    CHECK(aclrtQueryEventStatus(event, &status) == 0 && status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    std::this_thread::sleep_for(50ms);
    pause.release();
    CHECK(aclrtSynchronizeEvent(event) == 0 && aclrtEventElapsedTime(&ms, start, event) == 0);
    CHECK(ms >= 45 && ms < 5000);

    aclrtEvent flagged = nullptr;
    CHECK(aclrtCreateEventWithFlag(&flagged, 0) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC) == 0);
    for (int round = 1; round <= 5; ++round) {
        CHECK(aclrtStreamWaitEvent(second, flagged) == 0);  // before the record: really waits
        CHECK(aclrtResetEvent(flagged, second) == 0);
        unsigned char seen = 0;
        word.set(first, round);
        CHECK(aclrtRecordEvent(flagged, first) == 0);
        CHECK(aclrtMemcpyAsync(&seen, 1, word.at, 1, ACL_MEMCPY_DEVICE_TO_HOST, second) == 0 && seen == round);
        CHECK(aclrtResetEvent(flagged, second) == 0 && aclrtSynchronizeStream(second) == 0);
    }
    CHECK(aclrtResetEvent(extended, first) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);

    // The limit of a wait starts when the stream comes to it.
    Gate late;
    late.hold(first);
    CHECK(aclrtRecordEvent(event, first) == 0);
    CHECK(aclrtStreamWaitEventWithTimeout(second, event, 1) == 0);
    CHECK(aclrtSynchronizeStream(second) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    aclrtEvent early = nullptr;
    CHECK(aclrtCreateEvent(&early) == 0 && aclrtRecordEvent(early, first) == 0 && aclrtDestroyEvent(early) == 0);
    CHECK(late.passed == 0);
    late.release();
    CHECK(aclrtSynchronizeStream(first) == 0);
    CHECK(aclrtDestroyEvent(flagged) == 0);
}

void test_notifies() {
    Session session("product=950");
    Word word;
    OwnStream first;
    OwnStream second;
    OwnStream third;
    aclrtNotify notify = nullptr;
    CHECK(aclrtCreateNotify(&notify, 2) == ACL_ERROR_RT_PARAM_INVALID && aclrtCreateNotify(&notify, 0) == 0);
    CHECK(aclrtWaitAndResetNotify(notify, second, 0) == 0 && aclrtWaitAndResetNotify(notify, third, 0) == 0);
    auto released = [&] {
        aclrtStreamStatus one{};
        aclrtStreamStatus other{};
        CHECK(aclrtStreamQuery(second, &one) == 0 && aclrtStreamQuery(third, &other) == 0);
        return (one == ACL_STREAM_STATUS_COMPLETE) + (other == ACL_STREAM_STATUS_COMPLETE);
    };
    CHECK(released() == 0);
    CHECK(aclrtRecordNotify(notify, first) == 0 && aclrtSynchronizeStream(first) == 0);
    while (released() == 0) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(30ms);
    CHECK(released() == 1);
    CHECK(aclrtRecordNotify(notify, first) == 0);
    CHECK(aclrtSynchronizeStream(second) == 0 && aclrtSynchronizeStream(third) == 0);
    CHECK(aclrtWaitAndResetNotify(notify, second, 1) == 0 && aclrtSynchronizeStream(second) != 0);
    CHECK(aclrtDestroyNotify(notify) == 0);

    aclrtCntNotify counter = nullptr;
    CHECK(aclrtCntNotifyCreate(&counter, 0) == 0);
    aclrtCntNotifyRecordInfo add{ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 3};
    aclrtCntNotifyWaitInfo six{ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 6, 0, 1, {}};
    CHECK(aclrtCntNotifyWaitWithTimeout(counter, second, &six) == 0);
    CHECK(aclrtCntNotifyRecord(counter, first, &add) == 0 && aclrtCntNotifyRecord(counter, first, &add) == 0);
    CHECK(aclrtSynchronizeStream(second) == 0);
    CHECK(aclrtCntNotifyWaitWithTimeout(counter, second, &six) == 0);
    aclrtStreamStatus status{};
    std::this_thread::sleep_for(20ms);
    CHECK(aclrtStreamQuery(second, &status) == 0 && status == ACL_STREAM_STATUS_NOT_READY);
    CHECK(aclrtStreamAbort(second) == 0 && aclrtCntNotifyDestroy(counter) == 0);

    std::uint64_t* slot = nullptr;
    CHECK(aclrtMalloc(reinterpret_cast<void**>(&slot), 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHECK(aclrtMemset(slot, 64, 0, 64) == 0);
    CHECK(aclrtValueWait(slot, 0x100000000, ACL_STREAM_WAIT_VALUE_EQ, second) == 0);
    word.set(second, 4);
    std::this_thread::sleep_for(10ms);
    CHECK(word.get() == 0);
    CHECK(aclrtValueWrite(slot, 0x100000000, 0, first) == 0 && aclrtSynchronizeStream(second) == 0 && word.get() == 4);
    CHECK(aclrtFree(slot) == 0);
}

void test_callbacks() {
    Session session;
    OwnStream stream;
    std::vector<int> order;
    struct Call {
        std::vector<int>* order;
        int number;
    };
    std::vector<Call> calls;
    for (int number = 0; number < 10; ++number) calls.push_back({&order, number});
    aclrtCallback append = [](void* data) {
        auto* call = static_cast<Call*>(data);
        call->order->push_back(call->number);
    };
    CHECK(aclrtLaunchCallback(append, &calls[0], ACL_CALLBACK_BLOCK, stream) == ACL_ERROR_RT_STREAM_NO_CB_REG);
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> thread{0};
    std::atomic<bool> subscribed{false};
    std::thread server([&] {
        CHECK(aclrtProcessReport(10) == ACL_ERROR_RT_THREAD_SUBSCRIBE);
        thread = static_cast<std::uint64_t>(::pthread_self());
        while (!subscribed) std::this_thread::yield();
        CHECK(aclrtProcessReport(0) == ACL_ERROR_INVALID_PARAM);
        while (!stop) {
            aclError code = aclrtProcessReport(20);
            CHECK(code == 0 || code == ACL_ERROR_RT_REPORT_TIMEOUT);
        }
    });
    while (thread == 0) std::this_thread::yield();
    CHECK(aclrtSubscribeReport(thread, stream) == 0);
    subscribed = true;
    CHECK(aclrtSubscribeReport(thread, stream) == ACL_ERROR_RT_STREAM_SUBSCRIBE);
    for (Call& call : calls) CHECK(aclrtLaunchCallback(append, &call, ACL_CALLBACK_BLOCK, stream) == 0);
    CHECK(aclrtSynchronizeStream(stream) == 0);
    CHECK(order == std::vector<int>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    CHECK(aclrtLaunchHostFunc(stream, append, &calls[0]) == ACL_ERROR_RT_STREAM_SUBSCRIBE);
    stop = true;
    server.join();
    CHECK(aclrtUnSubscribeReport(thread + 1, stream) == ACL_ERROR_RT_THREAD_SUBSCRIBE);
    CHECK(aclrtUnSubscribeReport(thread, stream) == 0);
    CHECK(aclrtUnSubscribeReport(thread, stream) == ACL_ERROR_RT_STREAM_SUBSCRIBE);
    order.clear();
    for (Call& call : calls) CHECK(aclrtLaunchHostFunc(stream, append, &call) == 0);
    CHECK(aclrtSynchronizeStream(stream) == 0 && order.size() == 10 && order[9] == 9);
}

void test_error_text() {
    Session session;
    while (aclGetRecentErrMsg()) {
    }
    CHECK(aclrtDestroyEvent(nullptr) == ACL_ERROR_INVALID_PARAM && aclrtDestroyStream(nullptr) == ACL_ERROR_INVALID_PARAM);
    const char* given = aclGetRecentErrMsg();
    std::string text = given ? given : "";
    CHECK(text.find("aclrtDestroyStream") < text.find("aclrtDestroyEvent"));
    CHECK(text.find("aclrtDestroyEvent") != std::string::npos && aclGetRecentErrMsg() == nullptr);
    std::thread([] { CHECK(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 0 && aclGetRecentErrMsg() == nullptr); }).join();
}

void test_timeouts() {
    Session session("product=910");
    std::uint64_t interval = 0;
    std::uint64_t actual = 0;
    std::uint32_t ms = 0;
    CHECK(aclrtGetOpTimeOutInterval(&interval) == 0 && interval > 0);
    CHECK(aclrtGetOpExecuteTimeout(&ms) == 0 && ms / 1000 == 68);
    CHECK(aclrtSetOpExecuteTimeOutV2(interval + interval / 2, &actual) == 0 && actual == 2 * interval);
    CHECK(aclrtSetOpExecuteTimeOutV2(1000 * interval, &actual) == 0 && actual == 254 * interval);
    CHECK(aclrtSetOpExecuteTimeOut(100000) == 0 && aclrtGetOpExecuteTimeout(&ms) == 0 && ms / 1000 > 2100);
}

void test_numbers() {
    Session session;
    CHECK(aclFloat16ToFloat(0x7C00) == 65536.0F && aclFloat16ToFloat(0x7E00) == 98304.0F);
    CHECK(aclFloatToFloat16(1e6F) == 0x7BFF && aclFloatToFloat16(65520.0F) == 0x7BFF);
    CHECK(aclFloatToFloat16(0x1p-24F) == 0x0001 && aclFloatToFloat16(0x1p-26F) == 0);
    for (unsigned bits = 0; bits < 0x10000; ++bits)
        if ((bits >> 10 & 0x1F) < 31)
            CHECK(aclFloatToFloat16(aclFloat16ToFloat(static_cast<aclFloat16>(bits))) == bits);
    Word to;
    Word from;
    float values[4] = {1, 2, 3, 4};
    CHECK(aclrtMemcpy(to.at, 64, values, 16, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    CHECK(aclrtMemcpy(from.at, 64, values, 16, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    CHECK(aclrtReduceAsync(to.at, from.at, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, nullptr, nullptr) == 0);
    CHECK(aclrtSynchronizeStream(nullptr) == 0);
    CHECK(aclrtMemcpy(values, 16, to.at, 16, ACL_MEMCPY_DEVICE_TO_HOST) == 0 && values[0] == 2 && values[3] == 8);
    CHECK(aclrtReduceAsync(to.at, from.at, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_DOUBLE, nullptr, nullptr) != 0);
}

aclrtRandomParaInfo number(const void* value, std::size_t size) {
    aclrtRandomParaInfo parameter{};
    std::memcpy(parameter.valueOrAddr, value, size);
    parameter.size = static_cast<std::uint8_t>(size);
    return parameter;
}

void test_random_numbers() {
    Session session;
    constexpr std::uint64_t amount = 1000;
    float* result = nullptr;
    void* counter = nullptr;
    CHECK(aclrtMalloc(reinterpret_cast<void**>(&result), amount * 4, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHECK(aclrtMalloc(&counter, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    const std::uint64_t seed = 42;
    const float low = -1;
    const float high = 3;
    aclrtRandomNumTaskInfo task{};
    task.dataType = ACL_FLOAT;
    task.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo = {number(&low, 4), number(&high, 4)};
    task.randomResultAddr = result;
    task.randomCounterAddr = counter;
    task.randomSeed = number(&seed, 8);
    task.randomNum = number(&amount, 8);
    auto draw = [&] {
        std::vector<float> numbers(amount);
        CHECK(aclrtRandomNumAsync(&task, nullptr, nullptr) == 0 && aclrtSynchronizeStream(nullptr) == 0);
        CHECK(aclrtMemcpy(numbers.data(), amount * 4, result, amount * 4, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
        return numbers;
    };
    CHECK(aclrtMemset(counter, 64, 0, 64) == 0);
    std::vector<float> first = draw();
    for (float one : first) CHECK(one >= low && one <= high);
    CHECK(draw() != first);  // the counter went on
    CHECK(aclrtMemset(counter, 64, 0, 64) == 0 && draw() == first);
    task.dataType = ACL_INT8;
    CHECK(aclrtRandomNumAsync(&task, nullptr, nullptr) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtFree(result) == 0 && aclrtFree(counter) == 0);
}

/// A child made by fork may leave or run another program; the parent goes on.
void test_fork() {
    Session session;
    Word word;
    pid_t child = ::fork();
    if (child == 0) {
        int device = 0;
        std::_Exit(aclrtGetDevice(&device) == ACL_ERROR_INTERNAL_ERROR ? 0 : 1);
    }
    int status = -1;
    CHECK(::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    word.set(nullptr, 3);
    CHECK(aclrtSynchronizeStream(nullptr) == 0 && word.get() == 3);
}

/// A calibrated link: what event time tells is what the profile says.
void test_timing() {
    Session session("product=910b;timing=on;link=1e9;latency=0.001");
    constexpr std::size_t bytes = 10'000'000;
    void* device = nullptr;
    void* host = nullptr;
    CHECK(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && aclrtMallocHost(&host, bytes) == 0);
    OwnStream stream;
    OwnEvent start;
    OwnEvent end;
    // Everything is queued before the first copy begins, so that only the model decides.
    Gate gate;
    gate.hold(stream);
    CHECK(aclrtRecordEvent(start, stream) == 0);
    for (int copy = 0; copy < 3; ++copy)
        CHECK(aclrtMemcpyAsync(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream) == 0);
    CHECK(aclrtRecordEvent(end, stream) == 0);
    gate.release();
    CHECK(aclrtSynchronizeStream(stream) == 0);
    float ms = 0;
    CHECK(aclrtEventElapsedTime(&ms, start, end) == 0 && ms > 32.99F && ms < 33.01F);
    // By the host's clock the bytes move while the time passes, not after it.
    auto before = std::chrono::steady_clock::now();
    CHECK(aclrtMemcpy(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    CHECK(std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(11));
    CHECK(aclrtFree(device) == 0 && aclrtFreeHost(host) == 0);
}

/// Scattered transfers: the seed decides, and they lie around the true time.
void test_jitter() {
    float told[2][16] = {};
    for (auto& run : told) {
        Session session("product=910b;timing=on;link=1e9;latency=0.001;jitter=0.05;seed=3");
        void* device = nullptr;
        void* host = nullptr;
        CHECK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && aclrtMallocHost(&host, 64) == 0);
        OwnStream stream;
        OwnEvent start;
        OwnEvent end;
        for (float& ms : run) {
            Gate gate;
            gate.hold(stream);
            CHECK(aclrtRecordEvent(start, stream) == 0);
            CHECK(aclrtMemcpyAsync(device, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream) == 0);
            CHECK(aclrtRecordEvent(end, stream) == 0);
            gate.release();
            CHECK(aclrtSynchronizeStream(stream) == 0 && aclrtEventElapsedTime(&ms, start, end) == 0);
        }
        CHECK(aclrtFree(device) == 0 && aclrtFreeHost(host) == 0);
    }
    CHECK(std::equal(told[0], told[0] + 16, told[1], [](float a, float b) { return std::abs(a - b) < 2e-5F; }));
    auto [least, most] = std::minmax_element(told[0], told[0] + 16);
    CHECK(*least > 0.7F && *least < 1.0F && *most > 1.0F && *most < 1.3F);
}

}  // namespace

int main() {
    test_init();
    test_configuration();
    test_init_callbacks();
    test_devices();
    test_device_facts();
    test_contexts();
    test_streams();
    test_persistent_tasks();
    test_abort();
    test_failures();
    test_events();
    test_notifies();
    test_callbacks();
    test_error_text();
    test_timeouts();
    test_numbers();
    test_random_numbers();
    test_fork();
    test_timing();
    test_jitter();
    return checks::result();
}
