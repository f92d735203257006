// What crosses processes and what the environment decides: events and notifies of another process, the visible-device
// list. The program starts itself again, with the role as its first argument, because a child made by fork alone cannot
// use the library.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "acl/acl.h"
#include "aclref_control.h"
#include "checks.hpp"

extern char** environ;

namespace {

using namespace std::chrono_literals;

void start() {
    CHECK(aclrefConfigure("product=910b") == 0 && aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0);
}

/// Starts this program in a role; the answer is its process.
pid_t partner(const char* role, const std::string& argument) {
    char self[] = "/proc/self/exe";
    std::string name = role;
    std::string value = argument;
    char* arguments[] = {self, name.data(), value.data(), nullptr};
    pid_t process = -1;
    CHECK(::posix_spawn(&process, self, nullptr, nullptr, arguments, environ) == 0);
    return process;
}

bool ended_well(pid_t process) {
    int status = -1;
    return ::waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool still_runs(pid_t process) {
    int status = 0;
    return ::waitpid(process, &status, WNOHANG) == 0;
}

// Roles of the partner

int waits_for_event(const std::string& text) {
    start();
    aclrtIpcEventHandle handle{};
    CHECK(text.size() < sizeof(handle.reserved));
    std::memcpy(handle.reserved, text.data(), text.size());
    aclrtEvent event = nullptr;
    aclrtStream stream = nullptr;
    CHECK(aclrtIpcOpenEventHandle(handle, &event) == 0 && aclrtCreateStream(&stream) == 0);
    CHECK(aclrtStreamWaitEvent(stream, event) == 0 && aclrtSynchronizeStream(stream) == 0);
    CHECK(aclrtDestroyEvent(event) == 0 && aclrtDestroyStream(stream) == 0 && aclFinalize() == 0);
    return checks::failed;
}

int cannot_open_event(const std::string& text) {
    start();
    aclrtIpcEventHandle handle{};
    std::memcpy(handle.reserved, text.data(), text.size());
    aclrtEvent event = nullptr;
    CHECK(aclrtIpcOpenEventHandle(handle, &event) != 0 && event == nullptr);
    return checks::failed;
}

int records_notify(const std::string& key) {
    start();
    aclrtNotify notify = nullptr;
    CHECK(aclrtNotifyImportByKey(&notify, key.c_str(), ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS) == 0);
    CHECK(aclrtWaitAndResetNotify(notify, nullptr, 0) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtRecordNotify(notify, nullptr) == 0 && aclrtSynchronizeStream(nullptr) == 0);
    CHECK(aclrtDestroyNotify(notify) == 0);
    return checks::failed;
}

int cannot_import_notify(const std::string& key) {
    start();
    aclrtNotify notify = nullptr;
    CHECK(aclrtNotifyImportByKey(&notify, key.c_str(), ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT) != 0 && notify == nullptr);
    return checks::failed;
}

// Tests

void test_events() {
    start();
    aclrtEvent event = nullptr;
    aclrtStream stream = nullptr;
    aclrtNotify gate = nullptr;
    CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC) == 0 && aclrtCreateStream(&stream) == 0);
    CHECK(aclrtCreateNotify(&gate, 0) == 0);
    aclrtIpcEventHandle handle{};
    CHECK(aclrtIpcGetEventHandle(event, &handle) == 0);
    const std::string text(handle.reserved, ::strnlen(handle.reserved, sizeof(handle.reserved)));
    CHECK(aclrtWaitAndResetNotify(gate, stream, 0) == 0 && aclrtRecordEvent(event, stream) == 0);
    pid_t waiting = partner("waits_for_event", text);
    std::this_thread::sleep_for(300ms);
    CHECK(still_runs(waiting));
    CHECK(aclrtRecordNotify(gate, nullptr) == 0 && aclrtSynchronizeStream(stream) == 0);
    CHECK(ended_well(waiting));
    float ms = 0;
    CHECK(aclrtEventElapsedTime(&ms, event, event) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(aclrtDestroyEvent(event) == 0);
    CHECK(ended_well(partner("cannot_open_event", text)));
    CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC) == 0);
    CHECK(aclrtIpcGetEventHandle(event, &handle) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrefReset() == 0);
}

void test_notifies() {
    start();
    aclrtNotify notify = nullptr;
    aclrtStream stream = nullptr;
    char key[65] = "";
    CHECK(aclrtCreateNotify(&notify, 0) == 0 && aclrtCreateStream(&stream) == 0);
    CHECK(aclrtNotifyGetExportKey(notify, key, 64, 0) != 0);
    CHECK(aclrtNotifyGetExportKey(notify, key, sizeof(key), 0) == 0 && std::strlen(key) > 0);
    CHECK(ended_well(partner("cannot_import_notify", key)));  // not on the list of processes
    CHECK(aclrtNotifyGetExportKey(notify, key, sizeof(key), ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION) == 0);
    CHECK(aclrtWaitAndResetNotify(notify, stream, 0) == 0);
    CHECK(aclrtSynchronizeStreamWithTimeout(stream, 50) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK(ended_well(partner("records_notify", key)));
    CHECK(aclrtSynchronizeStreamWithTimeout(stream, 5000) == 0);
    CHECK(aclrtDestroyNotify(notify) == 0);
    CHECK(ended_well(partner("cannot_import_notify", key)));  // destroyed
    CHECK(aclrefReset() == 0);
}

/// The list is read when the state of the library is made anew.
std::uint32_t devices_with(const char* list) {
    CHECK(::setenv("ASCEND_RT_VISIBLE_DEVICES", list, 1) == 0);
    CHECK(aclrefConfigure("product=910b;devices=3") == 0 && aclInit(nullptr) == 0);
    std::uint32_t count = 99;
    CHECK(aclrtGetDeviceCount(&count) == 0);
    return count;
}

void test_visible_devices() {
    CHECK(devices_with("1") == 1);
    CHECK(aclrtSetDevice(0) == 0 && aclrtSetDevice(1) == ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 65536) != 0);
    CHECK(devices_with("0, 1") == 1 && devices_with("0,99") == 1 && devices_with("7") == 0 && devices_with("x") == 0);
    CHECK(devices_with("") == 0);
    CHECK(devices_with("1,2") == 2);
    std::int32_t id = -1;
    CHECK(aclrtGetLogicDevIdByUserDevId(1, &id) == 0 && id == 2);
    CHECK(aclrtGetUserDevIdByLogicDevId(2, &id) == 0 && id == 1);
    CHECK(aclrtGetUserDevIdByLogicDevId(0, &id) != 0);
    CHECK(aclrtGetPhyDevIdByUserDevId(0, &id) == 0 && id == 1);
    CHECK(aclrtGetLogicDevIdByPhyDevId(1, &id) == 0 && id == 0);
    CHECK(aclrtGetPhyDevIdByLogicDevId(0, &id) == 0 && id == 1);
    CHECK(aclrtGetPhyDevIdByUserDevId(2, &id) == ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK(aclrtGetLogicDevIdByUserDevId(-1, &id) == ACL_ERROR_RT_PARAM_INVALID);
    char bus[13] = "";
    char other[13] = "";
    CHECK(aclrtDeviceGetPCIBusId(0, bus, sizeof(bus)) == 0 && aclrtDeviceGetPCIBusId(1, other, sizeof(other)) == 0);
    CHECK(std::strcmp(bus, other) != 0 && aclrtDeviceGetByPCIBusId(other, &id) == 0 && id == 1);
    CHECK(aclrtDeviceGetPCIBusId(0, bus, 12) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(::unsetenv("ASCEND_RT_VISIBLE_DEVICES") == 0 && aclrefReset() == 0);
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 3) {
        const std::string role = arguments[1];
        if (role == "waits_for_event") return waits_for_event(arguments[2]);
        if (role == "cannot_open_event") return cannot_open_event(arguments[2]);
        if (role == "records_notify") return records_notify(arguments[2]);
        if (role == "cannot_import_notify") return cannot_import_notify(arguments[2]);
        return 2;
    }
    test_events();
    test_notifies();
    test_visible_devices();
    return checks::result();
}
