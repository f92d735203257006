// What captures, bindings and updates have in common: which stream records into what. Internal to this folder.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "capture/instance.hpp"
#include "runtime/event.hpp"

namespace aclref::capture {

/// One capture between begin and end.
struct Capture {
    std::shared_ptr<Instance> instance;
    std::shared_ptr<Context> context;
    std::shared_ptr<Stream> origin;
    std::thread::id thread;
    aclmdlRICaptureMode mode;
    bool invalid = false;
};

/// A set of nodes that updates may replace.
struct Group {
    std::weak_ptr<Instance> instance;
    std::vector<NodeRef> nodes;
    const Stream* updating = nullptr;
    unsigned updates = 0;                ///< what only faults look at
};

/// What a stream records into.
struct Membership {
    std::shared_ptr<Stream> stream;
    std::shared_ptr<Capture> capture;    ///< null: bound to a built instance, or updating a group
    std::shared_ptr<Instance> instance;
    std::uint32_t program = 0;
    bool ended = false;                  ///< aclmdlRIEndTask was called
    std::shared_ptr<Group> open_group;
    std::shared_ptr<Group> updated_group;
    std::vector<Task> updates;
};

/// The last record of an event was a node.
struct Captured {
    std::weak_ptr<Event> event;
    std::weak_ptr<Instance> instance;
    NodeRef ref;
};

struct State {
    std::unordered_map<const Stream*, Membership> members;
    std::vector<std::shared_ptr<Capture>> captures;
    std::unordered_map<const Event*, Captured> marks;
    std::unordered_map<aclrtTaskGrp, std::shared_ptr<Group>> groups;
    std::unordered_map<aclmdlRICondHandle, std::weak_ptr<Condition>> conditions;
};

State& state();

// Read without the mutex, so that nothing costs anything while nothing is captured.
extern std::atomic<unsigned> running_captures;
extern std::atomic<unsigned> marked_events;

// The mutex has to be held for everything below.

Membership* find_member(const Stream& stream);
/// The membership of a stream that is bound to a built instance.
Membership* find_bound(const Stream& stream);
Captured* find_mark(const Event& event);
void count_marks();
std::shared_ptr<Capture> running_capture(const Instance& instance);

/// Makes the stream record from here on.
Membership& add_member(const std::shared_ptr<Stream>& stream, Membership member);
/// Takes the stream out: whatever is submitted from here on runs as usual.
void release(const Stream& stream);

/// The capture is over, its streams go free.
void close_capture(const Capture& capture);
/// The capture failed: its instance goes with it.
void drop_capture(const Capture& capture);

aclmdlRITaskType type_of(std::string_view kind);
/// Appends a node to what the stream records; `where` gets its place and may be null.
aclError append(Membership& member, Node node, NodeRef* where = nullptr);

}  // namespace aclref::capture
