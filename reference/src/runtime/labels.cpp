#include "runtime/labels.hpp"

#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "base/faults/runtime.hpp"
#include "base/handle_table.hpp"
#include "base/live_objects.hpp"

namespace aclref {

namespace {

struct Labels {
    std::mutex mutex;
    std::set<const void*> labels;
    std::map<const void*, std::vector<void*>> lists;
};

Labels& all() {
    static auto* instance = new Labels;
    return *instance;
}

const LiveCounter counter("labels", [] { return static_cast<std::uint64_t>(label_count()); });

}  // namespace

void* create_label() {
    std::lock_guard lock(all().mutex);
    if (all().labels.size() >= most_labels && !faulty(Fault::labels_unlimited)) return nullptr;
    void* label = new_handle_value();
    all().labels.insert(label);
    return label;
}

bool destroy_label(void* label) {
    std::lock_guard lock(all().mutex);
    return all().labels.erase(label) > 0;
}

bool is_label(const void* label) {
    std::lock_guard lock(all().mutex);
    return all().labels.count(label) > 0;
}

void* create_label_list(std::vector<void*> labels) {
    std::lock_guard lock(all().mutex);
    void* list = new_handle_value();
    all().lists.emplace(list, std::move(labels));
    return list;
}

bool destroy_label_list(void* list) {
    std::lock_guard lock(all().mutex);
    return all().lists.erase(list) > 0;
}

std::vector<void*> label_list(const void* list) {
    std::lock_guard lock(all().mutex);
    auto it = all().lists.find(list);
    return it == all().lists.end() ? std::vector<void*>() : it->second;
}

std::size_t label_count() {
    std::lock_guard lock(all().mutex);
    return all().labels.size() + all().lists.size();
}

void forget_labels() {
    std::lock_guard lock(all().mutex);
    all().labels.clear();
    all().lists.clear();
}

}  // namespace aclref
