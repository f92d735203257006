#include "capture/instance.hpp"

#include <unordered_map>

#include "capture/capture.hpp"

namespace aclref::capture {

namespace {

struct Place {
    std::weak_ptr<Instance> instance;
    NodeRef ref;
};

/// Handles callers may name tasks and programs by.
struct Names {
    std::unordered_map<aclmdlRITask, Place> tasks;
    std::unordered_map<aclrtStream, Place> programs;
};

Names& names() {
    static Names* all = new Names;
    return *all;
}

std::uint32_t next_id() {
    static std::atomic<std::uint32_t> last{0};
    return ++last;
}

}  // namespace

Condition::~Condition() {
    if (value != nullptr) aclrtFree(value);
}

Instance::Instance(Origin given, const std::shared_ptr<Context>& owner) : origin(given), id(next_id()), context(owner) {}

std::uint32_t Instance::add_program(aclrtStream handle, bool starts) {
    auto index = static_cast<std::uint32_t>(programs.size());
    names().programs.insert_or_assign(handle, Place{weak_from_this(), {index, 0}});
    programs.push_back({handle, {}, starts});
    return index;
}

NodeRef Instance::append(std::uint32_t program, Node node) {
    node.handle = new_handle_value();
    node.sequence = next_sequence++;
    Program& target = programs[program];
    NodeRef ref{program, static_cast<std::uint32_t>(target.nodes.size())};
    names().tasks.emplace(node.handle, Place{weak_from_this(), ref});
    target.nodes.push_back(std::move(node));
    return ref;
}

std::size_t Instance::node_count() const {
    std::size_t count = 0;
    for (const Program& program : programs) count += program.nodes.size();
    return count;
}

std::mutex& mutex() {
    static std::mutex* guard = new std::mutex;
    return *guard;
}

std::condition_variable& instance_changed() {
    static std::condition_variable* changed = new std::condition_variable;
    return *changed;
}

HandleTable<Instance>& instances() {
    // Never destroyed: exit handlers of the caller may still destroy theirs.
    static auto* table = new HandleTable<Instance>;
    return *table;
}

FoundTask find_task(aclmdlRITask task) {
    auto found = names().tasks.find(task);
    if (found == names().tasks.end()) return {};
    auto instance = found->second.instance.lock();
    if (!instance) return {};
    return {instance, found->second.ref, &instance->node(found->second.ref)};
}

std::shared_ptr<Instance> find_program(aclrtStream handle, std::uint32_t& program) {
    auto found = names().programs.find(handle);
    if (found == names().programs.end()) return nullptr;
    program = found->second.ref.program;
    return found->second.instance.lock();
}

void retire(Instance& instance) {
    for (const Program& program : instance.programs) {
        for (const Node& node : program.nodes) names().tasks.erase(node.handle);
        names().programs.erase(program.handle);
    }
}

std::size_t instance_count() { return instances().size(); }

}  // namespace aclref::capture
