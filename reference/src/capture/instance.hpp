// Model running instances: recorded work that can be run again, from a capture or built stream by stream.
//
// An instance is a set of programs, one per recorded stream. The nodes of a program run in order; a node may also wait
// for nodes of other programs. All of it is guarded by one mutex: recording and asking are short, and a replay takes it
// only to fetch the next node.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/handle_table.hpp"
#include "runtime/stream.hpp"

namespace aclref::capture {

class Instance;

/// A node, by its place.
struct NodeRef {
    std::uint32_t program = 0;
    std::uint32_t index = 0;
    auto operator<=>(const NodeRef&) const = default;
};

/// The condition value of conditional tasks: 8 bytes of device memory that the library owns.
struct Condition {
    std::weak_ptr<Instance> owner;
    std::uint64_t* value = nullptr;
    std::uint64_t initial = 0;
    bool assign_initial = false;  ///< at the start of every execution
    bool used = false;            ///< serves one task only
    Condition() = default;
    ~Condition();
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;
};

/// Where an execution goes on after a node, besides or instead of the next one.
struct Jump {
    bool taken = false;
    NodeRef to;
    bool leaves = false;  ///< the program that jumps stops
};

struct Branches {
    aclmdlRICondTaskType type;
    std::shared_ptr<Condition> condition;
    std::vector<std::shared_ptr<Instance>> bodies;
};

struct Node {
    Task task;
    aclmdlRITaskType type = ACL_MODEL_RI_TASK_DEFAULT;
    aclmdlRITask handle = nullptr;
    std::uint32_t sequence = 0;
    std::vector<NodeRef> after;      ///< nodes of other programs that come first
    std::shared_ptr<Branches> branches;
    aclrtEvent event = nullptr;      ///< of a record, wait or reset
    bool external = false;
    bool disabled = false;
    bool disable_asked = false;      ///< takes effect with the next update of the instance
    std::function<Jump()> jump;      ///< asked when the task is done
};

struct Program {
    aclrtStream handle = nullptr;    ///< what callers name it by: the bound stream, or a name of its own after a capture
    std::vector<Node> nodes;
    bool starts = true;              ///< false: waits for another program to activate it
};

enum class Origin { captured, built, body };
enum class Stage { recording, ready, invalid };

class Instance : public std::enable_shared_from_this<Instance> {
public:
    Instance(Origin origin, const std::shared_ptr<Context>& context);

    const Origin origin;
    const std::uint32_t id;
    const std::weak_ptr<Context> context;
    aclmdlRI handle = nullptr;
    std::atomic<std::uint32_t> executions{0};  ///< asked for so far

    // Guarded by mutex().
    Stage stage = Stage::recording;
    bool body_recorded = false;      ///< a body was captured into once
    std::string name;
    std::vector<Program> programs;
    std::vector<std::pair<aclrtCallback, void*>> destroy_callbacks;
    std::map<const Event*, unsigned> external_events;  ///< 1 recorded, 2 waited for
    std::vector<std::shared_ptr<Instance>> bodies;     ///< of conditional tasks
    std::vector<std::shared_ptr<Condition>> conditions;
    std::map<void*, NodeRef> labels;
    unsigned running = 0;            ///< executions asked for and not over
    bool replaying = false;          ///< one execution at a time; the others wait their turn
    bool abort_asked = false;
    bool was_aborted = false;        ///< what only faults look at
    std::uint32_t next_sequence = 0;

    Node& node(NodeRef ref) { return programs[ref.program].nodes[ref.index]; }
    std::uint32_t add_program(aclrtStream handle, bool starts = true);
    NodeRef append(std::uint32_t program, Node node);
    std::size_t node_count() const;
};

/// Guards everything of this folder.
std::mutex& mutex();
/// Signalled when an execution is over.
std::condition_variable& instance_changed();

HandleTable<Instance>& instances();

/// A task by its handle, null when it is gone. The mutex has to be held.
struct FoundTask {
    std::shared_ptr<Instance> instance;
    NodeRef ref;
    Node* node = nullptr;
};
FoundTask find_task(aclmdlRITask task);

/// The instance one of whose programs has this handle, and which one. The mutex has to be held.
std::shared_ptr<Instance> find_program(aclrtStream handle, std::uint32_t& program);

/// Forgets the handles of an instance's nodes and programs. The mutex has to be held.
void retire(Instance& instance);

/// The instance as text, one line per task, and as JSON.
std::string describe(Instance& instance);
std::string describe_json(Instance& instance, bool verbose);

}  // namespace aclref::capture
