// Many threads at once: streams, events, waits, callbacks, aborts, contexts. What the sanitizers watch.
#include <pthread.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclref_control.h"
#include "checks.hpp"

namespace {

constexpr int threads = 6;
constexpr int rounds = 150;

/// Two streams of one thread, ordered by an event, on a device all threads share.
void ordered_copies(unsigned seed) {
    std::mt19937 draw(seed);
    CHECK(aclrtSetDevice(static_cast<int>(seed % 2)) == 0);
    void* device = nullptr;
    CHECK(aclrtMalloc(&device, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    for (int round = 0; round < rounds; ++round) {
        aclrtStream producer = nullptr;
        aclrtStream consumer = nullptr;
        aclrtEvent event = nullptr;
        CHECK(aclrtCreateStream(&producer) == 0 && aclrtCreateStream(&consumer) == 0);
        CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC) == 0);
        const auto value = static_cast<int>(draw() % 256);
        unsigned char* pinned = nullptr;
        CHECK(aclrtMallocHost(reinterpret_cast<void**>(&pinned), 4096) == 0);
        CHECK(aclrtMemsetAsync(device, 4096, value, 4096, producer) == 0);
        CHECK(aclrtRecordEvent(event, producer) == 0 && aclrtStreamWaitEvent(consumer, event) == 0);
        CHECK(aclrtMemcpyAsync(pinned, 4096, device, 4096, ACL_MEMCPY_DEVICE_TO_HOST, consumer) == 0);
        const bool early = draw() % 2;
        if (early) CHECK(aclrtDestroyEvent(event) == 0);
        CHECK(aclrtSynchronizeStream(consumer) == 0);
        CHECK(pinned[0] == value && pinned[4095] == value);
        CHECK(aclrtFreeHost(pinned) == 0 && aclrtDestroyStream(consumer) == 0 && aclrtDestroyStream(producer) == 0);
        CHECK(aclrtDestroyEvent(event) == (early ? ACL_ERROR_RT_INVALID_HANDLE : 0));
    }
    CHECK(aclrtFree(device) == 0);
    CHECK(aclrtResetDevice(static_cast<int>(seed % 2)) == 0);
}

/// Host functions, queries and time limits.
void host_functions(unsigned seed) {
    CHECK(aclrtSetDevice(static_cast<int>(seed % 2)) == 0);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream) == 0);
    std::atomic<int> ran{0};
    for (int round = 0; round < rounds; ++round) {
        CHECK(aclrtLaunchHostFunc(stream, [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &ran) == 0);
        aclrtStreamStatus status{};
        CHECK(aclrtStreamQuery(stream, &status) == 0);
        if (round % 16 == 0) {
            aclError code = aclrtSynchronizeStreamWithTimeout(stream, 1000);
            CHECK(code == 0 && ran == round + 1);
        }
    }
    CHECK(aclrtSynchronizeStream(stream) == 0 && ran == rounds);
    CHECK(aclrtDestroyStream(stream) == 0 && aclrtResetDevice(static_cast<int>(seed % 2)) == 0);
}

/// Contexts of its own, with streams that are aborted while they wait.
void aborted_waits(unsigned) {
    CHECK(aclrtSetDevice(0) == 0);
    for (int round = 0; round < rounds / 3; ++round) {
        aclrtContext context = nullptr;
        aclrtStream stream = nullptr;
        aclrtNotify notify = nullptr;
        CHECK(aclrtCreateContext(&context, 0) == 0 && aclrtCreateStream(&stream) == 0 && aclrtCreateNotify(&notify, 0) == 0);
        CHECK(aclrtWaitAndResetNotify(notify, stream, 0) == 0);
        std::thread waiter([&] {
            CHECK(aclrtSetCurrentContext(context) == 0);
            aclError code = aclrtSynchronizeStream(stream);
            CHECK(code == ACL_ERROR_RT_STREAM_ABORT || code == 0);
        });
        std::this_thread::yield();
        CHECK(aclrtStreamAbort(stream) == 0);
        waiter.join();
        CHECK(aclrtDestroyNotify(notify) == 0 && aclrtDestroyStreamForce(stream) == 0 && aclrtDestroyContext(context) == 0);
        CHECK(aclrtSetDevice(0) == 0 && aclrtResetDevice(0) == 0);
    }
    CHECK(aclrtResetDevice(0) == 0);
}

/// A thread that serves the callbacks of another one.
void reports(unsigned) {
    CHECK(aclrtSetDevice(1) == 0);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream) == 0);
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> id{0};
    std::thread server([&] {
        id = static_cast<std::uint64_t>(::pthread_self());
        while (!stop) (void)aclrtProcessReport(5);
    });
    while (id == 0) std::this_thread::yield();
    CHECK(aclrtSubscribeReport(id, stream) == 0);
    int ran = 0;  // only touched by the callbacks and after the synchronise: a race shows
    for (int round = 0; round < rounds; ++round) {
        CHECK(aclrtLaunchCallback([](void* count) { ++*static_cast<int*>(count); }, &ran, ACL_CALLBACK_BLOCK, stream) == 0);
        if (round % 8 == 0) {
            CHECK(aclrtSynchronizeStream(stream) == 0);
            CHECK(ran == round + 1);
        }
    }
    CHECK(aclrtSynchronizeStream(stream) == 0 && ran == rounds);
    CHECK(aclrtUnSubscribeReport(id, stream) == 0);
    stop = true;
    server.join();
    CHECK(aclrtDestroyStream(stream) == 0 && aclrtResetDevice(1) == 0);
}

}  // namespace

int main() {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        CHECK(aclrefConfigure("product=910b;memory=1GiB") == 0 && aclrefSetSeed(seed) == 0 && aclInit(nullptr) == 0);
        std::vector<std::thread> running;
        for (unsigned number = 0; number < threads; ++number) {
            auto work = number % 3 == 2 ? host_functions : ordered_copies;
            running.emplace_back(work, static_cast<unsigned>(seed) * 100 + number);
        }
        running.emplace_back(aborted_waits, 0U);
        running.emplace_back(reports, 0U);
        for (std::thread& thread : running) thread.join();
        char live[2048];
        aclrefLiveObjects(live, sizeof(live));
        const std::string text = live;
        for (const char* none : {"\"streams\":0", "\"contexts\":0", "\"device_allocations\":0", "\"host_allocations\":0"})
            CHECK(text.find(none) != std::string::npos);
        CHECK(aclFinalize() == 0);
    }
    return checks::result();
}
