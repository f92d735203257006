// Subscriptions (chapter 19-03): what the steps of a subscribed model did, written as records into a pipe of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl_prof.h"
#include "base/errors.hpp"
#include "base/handle_table.hpp"

namespace aclref {

struct SubscribeConfig {
    bool times = false;
    aclprofAicoreMetrics metrics{};
    int descriptor = -1;
};

HandleTable<SubscribeConfig>& subscribe_configs();

/// One step of one run. Plain bytes: a program reads it from the pipe and hands it back.
struct OperatorRecord {
    std::uint32_t signature;
    std::uint32_t model;
    std::uint32_t flag;
    std::uint32_t thread;
    std::uint64_t begin;   ///< nanoseconds
    std::uint64_t end;
    std::uint64_t serial;  ///< never twice in one process
    char type[ACL_PROF_MAX_OP_TYPE_LEN];
    char name[ACL_PROF_MAX_OP_NAME_LEN];
};

/// The record at `index` of what a program read; nullopt, with a recorded reason, where there is none.
std::optional<OperatorRecord> record_at(const void* data, std::size_t bytes, std::uint32_t index, aclError& code);
/// Whether the records are whole, and how many there are.
aclError count_records(const void* data, std::size_t bytes, std::uint32_t& count);
/// A text of a record may be fetched once. False when it was.
bool take_text(const OperatorRecord& record, bool name);

aclError subscribe(std::uint32_t model, const SubscribeConfig& config);
aclError unsubscribe(std::uint32_t model);
/// The model goes: nobody hears of it any more.
void end_subscription(std::uint32_t model);
bool has_subscriptions();

/// What one step of a run did.
struct StepTimes {
    std::string type;
    std::string name;
    std::uint64_t begin;
    std::uint64_t end;
};
/// A run of a model is over: its records go to whoever has subscribed it.
void report_run(std::uint32_t model, const std::vector<StepTimes>& steps);

void forget_subscriptions();

}  // namespace aclref
