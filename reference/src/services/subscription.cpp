#include "services/subscription.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "base/faults/services.hpp"
#include "base/live_objects.hpp"
#include "models/model.hpp"
#include "services/caller_bytes.hpp"

namespace aclref {

namespace {

constexpr std::uint32_t signature = 0x41504F52;

struct Subscriptions {
    std::mutex mutex;
    std::map<std::uint32_t, SubscribeConfig> by_model;
    std::atomic<std::uint64_t> serial{0};
    std::set<std::pair<std::uint64_t, bool>> fetched;  ///< texts that were taken, by serial and kind
};

Subscriptions& subscriptions() {
    static auto* instance = new Subscriptions;
    return *instance;
}

const LiveCounter live[] = {
    {"subscribe_configs", [] { return static_cast<std::uint64_t>(subscribe_configs().size()); }},
    {"subscriptions", [] {
         std::lock_guard lock(subscriptions().mutex);
         return static_cast<std::uint64_t>(subscriptions().by_model.size());
     }},
};

bool is_loaded(std::uint32_t id) {
    const auto models = models::all_models();
    return std::any_of(models.begin(), models.end(), [&](const auto& model) { return model->id == id; });
}

void write_whole(int descriptor, const void* data, std::size_t bytes) {
    const auto* from = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written = ::write(descriptor, from, bytes);
        // A program that has closed its pipe does not want the rest.
        if (written < 0 && errno != EINTR) return;
        if (written > 0) {
            from += written;
            bytes -= static_cast<std::size_t>(written);
        }
    }
}

}  // namespace

HandleTable<SubscribeConfig>& subscribe_configs() {
    static auto* table = new HandleTable<SubscribeConfig>;
    return *table;
}

aclError count_records(const void* data, std::size_t bytes, std::uint32_t& count) {
    if (bytes == 0 || bytes % sizeof(OperatorRecord) != 0)
        return refuse(ACL_ERROR_INVALID_PARAM, "%zu bytes are no whole records of %zu", bytes, sizeof(OperatorRecord));
    if (aclError code = check_bytes(data, bytes, false)) return code;
    const std::size_t records = bytes / sizeof(OperatorRecord);
    for (std::size_t index = 0; index < records; ++index) {
        std::uint32_t found = 0;
        std::memcpy(&found, static_cast<const char*>(data) + index * sizeof(OperatorRecord), sizeof(found));
        if (found != signature) return refuse(ACL_ERROR_INVALID_PARAM, "the bytes are no records");
    }
    count = static_cast<std::uint32_t>(records);
    return 0;
}

std::optional<OperatorRecord> record_at(const void* data, std::size_t bytes, std::uint32_t index, aclError& code) {
    std::uint32_t count = 0;
    code = data ? count_records(data, bytes, count) : refuse(ACL_ERROR_INVALID_PARAM, "opInfo is NULL");
    if (!code && index >= count) code = refuse(ACL_ERROR_INVALID_PARAM, "index %u, there are %u records", index, count);
    if (code) return std::nullopt;
    OperatorRecord record;
    std::memcpy(&record, static_cast<const char*>(data) + index * sizeof(record), sizeof(record));
    record.type[sizeof(record.type) - 1] = record.name[sizeof(record.name) - 1] = '\0';
    return record;
}

bool take_text(const OperatorRecord& record, bool name) {
    std::lock_guard lock(subscriptions().mutex);
    return subscriptions().fetched.emplace(record.serial, name).second;
}

aclError subscribe(std::uint32_t model, const SubscribeConfig& config) {
    if (!is_loaded(model) && !faulty(Fault::subscribe_unknown_model))
        return refuse(ACL_ERROR_INVALID_MODEL_ID, "there is no model %u", model);
    std::lock_guard lock(subscriptions().mutex);
    if (!subscriptions().by_model.emplace(model, config).second && !faulty(Fault::subscribe_repeats))
        return refuse(ACL_ERROR_PROF_REPEAT_SUBSCRIBE, "model %u is subscribed already", model);
    return 0;
}

aclError unsubscribe(std::uint32_t model) {
    std::lock_guard lock(subscriptions().mutex);
    if (subscriptions().by_model.erase(model) > 0 || faulty(Fault::subscribe_unknown_model)) return 0;
    return refuse(ACL_ERROR_INVALID_MODEL_ID, "model %u is not subscribed", model);
}

void end_subscription(std::uint32_t model) {
    std::lock_guard lock(subscriptions().mutex);
    subscriptions().by_model.erase(model);
}

bool has_subscriptions() {
    std::lock_guard lock(subscriptions().mutex);
    return !subscriptions().by_model.empty();
}

void report_run(std::uint32_t model, const std::vector<StepTimes>& steps) {
    Subscriptions& all = subscriptions();
    SubscribeConfig config;
    {
        std::lock_guard lock(all.mutex);
        auto it = all.by_model.find(model);
        if (it == all.by_model.end()) return;
        config = it->second;
    }
    for (const StepTimes& step : steps) {
        OperatorRecord record{};
        record.signature = signature;
        record.model = model;
        record.flag = ACL_SUBSCRIBE_OP;
        record.thread = static_cast<std::uint32_t>(::gettid());
        record.begin = config.times ? step.begin : 0;
        record.end = config.times ? step.end : 0;
        record.serial = all.serial.fetch_add(1);
        std::strncpy(record.type, step.type.c_str(), sizeof(record.type) - 1);
        std::strncpy(record.name, step.name.c_str(), sizeof(record.name) - 1);
        write_whole(config.descriptor, &record, sizeof(record));
    }
}

void forget_subscriptions() {
    std::lock_guard lock(subscriptions().mutex);
    subscriptions().by_model.clear();
    subscriptions().fetched.clear();
}

}  // namespace aclref
