#include "capture/replay.hpp"

#include <algorithm>

#include "base/faults/copy.hpp"
#include "base/profile.hpp"
#include "memory/address_space.hpp"

namespace aclref::capture {

Replay::Replay(std::shared_ptr<Instance> instance)
    : instance_(std::move(instance)), draw_(profile().seed + instance_->id * 7919 + instance_->executions++) {
    std::scoped_lock lock(mutex());
    ++instance_->running;
}

Replay::~Replay() { finish(); }

bool Replay::begin() {
    {
        std::scoped_lock lock(mutex());
        if (instance_->replaying) return false;
        instance_->replaying = true;
        begun_ = true;
        for (const Program& program : instance_->programs) {
            Lane lane;
            lane.active = program.starts;
            lanes_.push_back(std::move(lane));
        }
    }
    for (const auto& condition : instance_->conditions)
        if (condition->assign_initial && !(instance_->executions > 1 && faulty(Fault::capture_condition_set_once)))
            AddressSpace::instance().copy(condition->value, &condition->initial, sizeof condition->initial, true);
    return true;
}

void Replay::finish() {
    if (over_) return;
    over_ = true;
    {
        std::scoped_lock lock(mutex());
        if (begun_) instance_->replaying = false;
        if (--instance_->running == 0) instance_->abort_asked = false;
    }
    instance_changed().notify_all();
    wake_all_executors();
}

bool Replay::done(NodeRef ref) const { return lanes_[ref.program].next > ref.index; }

bool Replay::ready(std::size_t lane) const {
    const Lane& one = lanes_[lane];
    const Program& program = instance_->programs[lane];
    if (!one.active || one.next >= program.nodes.size()) return false;
    if (faulty(Fault::capture_edge_lost)) return true;
    const Node& node = program.nodes[one.next];
    const Node* following = one.next + 1 < program.nodes.size() ? &program.nodes[one.next + 1] : nullptr;
    if (faulty(Fault::capture_earlier_join_lost) && !node.after.empty() && following && !following->after.empty()) return true;
    return std::all_of(node.after.begin(), node.after.end(), [this](NodeRef ref) { return done(ref); });
}

Progress Replay::run_next(std::size_t lane) {
    Lane& one = lanes_[lane];
    std::function<Jump()> jump;
    {
        std::scoped_lock lock(mutex());
        Node& node = instance_->programs[lane].nodes[one.next];
        jump = node.jump;
        if (!one.current) {
            if (node.disabled) one.current = [] { return Progress::Done(); };
            else if (node.branches) one.current = branch_runner(node.branches);
            else if (node.task.run) one.current = node.task.run;
            else one.current = [] { return Progress::Done(); };
        }
    }
    Progress progress = one.current();
    if (progress.kind != Progress::done) return progress;
    one.current = nullptr;
    ++one.next;
    if (!jump) return progress;
    Jump asked = jump();
    if (!asked.taken) return progress;
    if (asked.leaves) one.active = false;
    lanes_[asked.to.program].active = true;
    if (asked.leaves || asked.to.index > 0) lanes_[asked.to.program].next = asked.to.index;
    return progress;
}

std::function<Progress()> Replay::branch_runner(const std::shared_ptr<Branches>& branches) {
    // Lives as long as the node is under way: the body being run, and whether the condition was looked at.
    struct State {
        std::unique_ptr<Replay> body;
        bool looked = false;
        unsigned rounds = 0;
    };
    auto state = std::make_shared<State>();
    return [branches, state]() -> Progress {
        for (;;) {
            if (state->body) {
                Progress progress = state->body->step();
                if (progress.kind != Progress::done) return progress;
                state->body.reset();
                if (branches->type != ACL_MODEL_RI_COND_TYPE_WHILE || faulty(Fault::capture_loop_runs_once))
                    return Progress::Done();
                if (++state->rounds == 2 && faulty(Fault::capture_loop_runs_twice)) return Progress::Done();
            }
            std::uint64_t value = 0;
            if (aclError code = AddressSpace::instance().copy(&value, branches->condition->value, sizeof value, true))
                return Progress::Failed(code);
            if (faulty(Fault::capture_condition_low_half)) value &= 0xFFFFFFFF;
            std::size_t body = branches->bodies.size();
            if (branches->type == ACL_MODEL_RI_COND_TYPE_SWITCH) body = value + (faulty(Fault::capture_switch_next_body) ? 1 : 0);
            else if (value != 0) body = 0;
            else if (branches->type == ACL_MODEL_RI_COND_TYPE_IF && !faulty(Fault::capture_else_ignored)) body = 1;
            if (faulty(Fault::capture_branch_ignored)) body = 0;
            if (body >= branches->bodies.size() || (faulty(Fault::capture_branch_ignored) && state->looked))
                return Progress::Done();
            state->looked = true;
            state->body = std::make_unique<Replay>(branches->bodies[body]);
        }
    };
}

bool Replay::aborted() const {
    std::scoped_lock lock(mutex());
    return instance_->abort_asked;
}

Progress Replay::step() {
    if (!begun_ && !begin()) return Progress::Waiting();
    while (!aborted()) {
        bool moved = false;
        bool left = false;
        Clock::time_point until = Clock::time_point::max();
        // One task at a time, of a program drawn anew: what no dependency orders may come in any order.
        std::size_t first = lanes_.empty() ? 0 : draw_() % lanes_.size();
        for (std::size_t offset = 0; offset < lanes_.size() && !moved; ++offset) {
            std::size_t lane = (first + offset) % lanes_.size();
            left = left || (lanes_[lane].active && lanes_[lane].next < instance_->programs[lane].nodes.size());
            if (!ready(lane)) continue;
            Progress progress = run_next(lane);
            if (progress.kind == Progress::failed) {
                finish();
                return progress;
            }
            moved = progress.kind == Progress::done;
            if (progress.kind == Progress::waiting) until = std::min(until, progress.until);
        }
        if (moved) continue;
        if (left) return Progress::Waiting(until);
        finish();
        return Progress::Done();
    }
    finish();
    return Progress::Failed(ACL_ERROR_RT_MODEL_ABORT_NORMAL);
}

}  // namespace aclref::capture
