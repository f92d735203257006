#include "services/profiling.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "base/faults/services.hpp"
#include "base/live_objects.hpp"
#include "base/profile.hpp"
#include "services/ranges.hpp"
#include "services/subscription.hpp"

namespace aclref {

namespace {

struct Profiling {
    std::mutex mutex;
    bool running = false;       ///< between aclprofInit and aclprofFinalize
    bool command_line = false;
    std::string folder;         ///< what aclprofInit named
    std::filesystem::path results;  ///< made by the first collection
    std::vector<ProfilingConfig> collections;
    std::ofstream marks;
};

Profiling& profiling() {
    static auto* instance = new Profiling;
    return *instance;
}

const LiveCounter live[] = {
    {"profiling_configs", [] { return static_cast<std::uint64_t>(profiling_configs().size()); }},
    {"stamps", [] { return static_cast<std::uint64_t>(stamps().size()); }},
};

aclError not_running() { return refuse(ACL_ERROR_PROF_NOT_RUN, "profiling is not initialised"); }

std::string name_of_results() {
    static std::atomic<unsigned> number{0};
    char time[32];
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::strftime(time, sizeof(time), "%Y%m%d%H%M%S", &parts);
    char name[96];
    std::snprintf(name, sizeof(name), "PROF_%06u_%s_%d", number.fetch_add(1) + 1, time, static_cast<int>(::getpid()));
    return name;
}

void write_text(const std::filesystem::path& file, const std::string& text) {
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    std::ofstream(file) << text;
}

/// The folder of this session's results, made when the first collection starts.
void open_results(Profiling& all) {
    if (!all.results.empty() || faulty(Fault::profiling_writes_nothing)) return;
    all.results = std::filesystem::path(all.folder).lexically_normal() / name_of_results();
    write_text(all.results / "host" / "info.json",
               "{\"product\": \"" + std::string(product_keys[static_cast<std::size_t>(profile().product)]) + "\", \"soc\": \"" +
                   profile().soc_name + "\", \"process\": " + std::to_string(::getpid()) + "}\n");
    all.marks.open(all.results / "host" / "msproftx.csv");
    all.marks << "kind,message,begin_ns,end_ns,thread\n";
}

void note_devices(const Profiling& all, const ProfilingConfig& config) {
    if (all.results.empty()) return;
    for (std::uint32_t device : config.devices)
        write_text(all.results / ("device_" + std::to_string(device)) / "info.json",
                   "{\"device\": " + std::to_string(device) + ", \"switches\": " + std::to_string(config.switches) +
                       ", \"metrics\": " + std::to_string(static_cast<int>(config.metrics)) + "}\n");
}

bool share_a_device(const ProfilingConfig& one, const ProfilingConfig& other) {
    return std::any_of(one.devices.begin(), one.devices.end(), [&](std::uint32_t device) {
        return std::binary_search(other.devices.begin(), other.devices.end(), device);
    });
}

void close_session(Profiling& all) {
    all.running = false;
    all.collections.clear();
    all.marks.close();
    all.results.clear();
    all.folder.clear();
    forget_ranges();
}

long long nanoseconds(std::chrono::steady_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

HandleTable<ProfilingConfig>& profiling_configs() {
    static auto* table = new HandleTable<ProfilingConfig>;
    return *table;
}

HandleTable<Stamp>& stamps() {
    static auto* table = new HandleTable<Stamp>;
    return *table;
}

aclError init_profiling(const std::string& folder) {
    if (has_subscriptions() && !faulty(Fault::profiling_conflict_ignored))
        return refuse(ACL_ERROR_PROF_API_CONFLICT, "a model is subscribed");
    Profiling& all = profiling();
    std::lock_guard lock(all.mutex);
    if (all.command_line && !faulty(Fault::profiling_conflict_ignored))
        return refuse(ACL_ERROR_PROF_ALREADY_RUN, "aclInit's file has switched profiling on");
    if (all.running && !faulty(Fault::profiling_init_repeats))
        return refuse(ACL_ERROR_REPEAT_INITIALIZE, "profiling is initialised already");
    std::error_code failed;
    // A path of many empty steps is as good as a short one.
    std::filesystem::create_directories(std::filesystem::path(folder).lexically_normal(), failed);
    if (failed) return refuse(ACL_ERROR_INVALID_FILE, "the folder %s cannot be made", folder.c_str());
    all.running = true;
    all.folder = folder;
    return 0;
}

aclError finalize_profiling() {
    Profiling& all = profiling();
    std::lock_guard lock(all.mutex);
    if (!all.running) return faulty(Fault::profiling_order_unchecked) ? 0 : not_running();
    if (faulty(Fault::profiling_ends_never)) {
        all.collections.clear();
        return 0;
    }
    close_session(all);
    return 0;
}

aclError start_collection(const ProfilingConfig& config) {
    Profiling& all = profiling();
    std::lock_guard lock(all.mutex);
    if (!all.running) return faulty(Fault::profiling_order_unchecked) ? 0 : not_running();
    if (!faulty(Fault::profiling_start_repeats))
        for (const ProfilingConfig& other : all.collections)
            if (other == config || share_a_device(other, config))
                return refuse(ACL_ERROR_INVALID_PROFILING_CONFIG, "a device of the configuration is being collected already");
    open_results(all);
    note_devices(all, config);
    all.collections.push_back(config);
    return 0;
}

aclError stop_collection(const ProfilingConfig& config) {
    Profiling& all = profiling();
    std::lock_guard lock(all.mutex);
    if (!all.running) return faulty(Fault::profiling_order_unchecked) ? 0 : not_running();
    auto it = std::find(all.collections.begin(), all.collections.end(), config);
    if (it == all.collections.end()) {
        if (faulty(Fault::profiling_stops_anything)) return 0;
        return refuse(ACL_ERROR_INVALID_PROFILING_CONFIG, "no collection was started with this configuration");
    }
    all.collections.erase(it);
    return 0;
}

bool api_profiling() {
    std::lock_guard lock(profiling().mutex);
    return profiling().running;
}

void start_command_line_profiling() {
    std::lock_guard lock(profiling().mutex);
    profiling().command_line = true;
}

bool marking() {
    std::lock_guard lock(profiling().mutex);
    const auto& all = profiling().collections;
    return std::any_of(all.begin(), all.end(),
                       [](const ProfilingConfig& config) { return (config.switches & ACL_PROF_MSPROFTX) != 0; });
}

void note_mark(const char* kind, const std::string& message, std::chrono::steady_clock::time_point begin) {
    Profiling& all = profiling();
    std::lock_guard lock(all.mutex);
    if (!all.marks.is_open()) return;
    std::string shown = message;
    std::replace_if(shown.begin(), shown.end(), [](char each) { return each == ',' || each == '\n'; }, ' ');
    all.marks << kind << ',' << shown << ',' << nanoseconds(begin) << ',' << nanoseconds(std::chrono::steady_clock::now())
              << ',' << ::gettid() << '\n';
}

void finish_profiling() {
    std::lock_guard lock(profiling().mutex);
    close_session(profiling());
    profiling().command_line = false;
}

void forget_profiling_objects() {
    profiling_configs().clear();
    stamps().clear();
}

}  // namespace aclref
