#include "services/log_output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/faults/services.hpp"
#include "base/handle_table.hpp"
#include "base/live_objects.hpp"
#include "base/profile.hpp"

namespace aclref {

namespace {

constexpr const char* level_names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
constexpr int levels = static_cast<int>(std::size(level_names));
constexpr std::uint32_t debug_log = 0;

struct Entry {
    acllogCallbackHandle handle;
    acllogRecordCallback function;
    void* argument;
    std::uint32_t type;
};

struct Log {
    std::mutex mutex;
    std::vector<Entry> callbacks;
    std::string folder;   ///< what the environment named when the file was opened
    std::ofstream file;
};

Log& log() {
    static auto* instance = new Log;
    return *instance;
}

// Where nothing can remove them, they are no leak.
const LiveCounter live{"log_callbacks", [] {
                           if (!profile().supports(Function::acllogUnregisterCallback)) return std::uint64_t{0};
                           std::lock_guard lock(log().mutex);
                           return static_cast<std::uint64_t>(log().callbacks.size());
                       }};

/// The file of this process below the folder of ASCEND_PROCESS_LOG_PATH; closed while the environment names none.
std::ofstream& file_of_process(Log& all) {
    const char* given = std::getenv("ASCEND_PROCESS_LOG_PATH");
    const std::string folder = given ? given : "";
    if (folder != all.folder) {
        all.file.close();
        all.folder = folder;
    }
    if (!folder.empty() && !all.file.is_open()) {
        std::error_code ignored;
        const auto place = std::filesystem::path(folder) / "debug" / "plog";
        std::filesystem::create_directories(place, ignored);
        all.file.open(place / ("plog-" + std::to_string(::getpid()) + ".log"), std::ios::app);
    }
    return all.file;
}

bool wanted_on_output() {
    const char* given = std::getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
    return given && std::string_view(given) == "1";
}

std::string line_of(int module, int level, const char* text) {
    char time[32];
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::strftime(time, sizeof(time), "%Y-%m-%d-%H:%M:%S", &parts);
    return std::string("[") + level_names[level] + "] " + std::to_string(module) + "(" + std::to_string(::getpid()) +
           "):" + time + " " + text;
}

/// Faulty builds only: crashes where another thread is here as well.
void expect_alone() {
    static std::atomic<int> inside{0};
    if (inside.fetch_add(1) > 0) std::abort();
    std::this_thread::yield();
    inside.fetch_sub(1);
}

}  // namespace

acllogCallbackHandle add_log_callback(acllogRecordCallback function, void* argument, std::uint32_t type) {
    std::lock_guard lock(log().mutex);
    if (log().callbacks.size() >= most_log_callbacks && !faulty(Fault::log_callbacks_unlimited)) return 0;
    auto handle = reinterpret_cast<acllogCallbackHandle>(new_handle_value());
    if (faulty(Fault::log_handles_equal)) handle = 1;
    log().callbacks.push_back({handle, function, argument, type});
    return handle;
}

bool remove_log_callback(acllogCallbackHandle handle) {
    std::lock_guard lock(log().mutex);
    auto& all = log().callbacks;
    auto it = std::find_if(all.begin(), all.end(), [&](const Entry& entry) { return entry.handle == handle; });
    if (it == all.end()) return faulty(Fault::log_unknown_handle_accepted);
    all.erase(it);
    return true;
}

bool log_level_enabled(int level) {
    const char* given = std::getenv("ASCEND_GLOBAL_LOG_LEVEL");
    const int lowest = given && given[0] >= '0' && given[0] <= '4' && given[1] == '\0' ? given[0] - '0' : levels - 1;
    if (faulty(Fault::log_levels_turned)) return level <= levels - 1 - lowest;
    return level >= lowest && level < levels;
}

void record_text(int module, int level, const char* text) {
    if (level < 0 || level >= levels || (!log_level_enabled(level) && !faulty(Fault::log_writes_every_level))) return;
    if (faulty(Fault::log_threads_collide)) expect_alone();
    const std::string line = line_of(module, level, text);
    if (wanted_on_output()) std::printf("%s\n", line.c_str());
    std::vector<Entry> told;
    {
        std::lock_guard lock(log().mutex);
        std::ofstream& file = file_of_process(log());
        if (file.is_open()) file << line << std::endl;
        for (const Entry& entry : log().callbacks)
            if (entry.type == debug_log) told.push_back(entry);
    }
    // Without the lock: a function may record or remove itself.
    for (const Entry& entry : told) (void)entry.function(entry.argument, debug_log, line.c_str(), line.size());
}

void record_log(int module, int level, const char* format, std::va_list arguments) {
    char text[longest_log_text + 1];
    std::vsnprintf(text, sizeof(text), format, arguments);
    if (faulty(Fault::log_long_text_crashes) && std::char_traits<char>::length(text) == longest_log_text) std::abort();
    record_text(module, level, text);
}

void forget_log_callbacks() {
    std::lock_guard lock(log().mutex);
    log().callbacks.clear();
}

}  // namespace aclref
