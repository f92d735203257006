// One execution of an instance: its programs side by side, each in order, dependencies between them kept.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "capture/instance.hpp"

namespace aclref::capture {

class Replay {
public:
    /// Counts as running from here on.
    explicit Replay(std::shared_ptr<Instance> instance);
    ~Replay();
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    /// Runs what is ready. Waiting: something outside has to happen first. The mutex must not be held.
    Progress step();

private:
    struct Lane {
        std::size_t next = 0;
        bool active = true;
        std::function<Progress()> current;  ///< the node under way; a copy, so that every execution starts afresh
    };
    bool begin();
    bool aborted() const;
    void finish();
    bool ready(std::size_t lane) const;
    Progress run_next(std::size_t lane);
    std::function<Progress()> branch_runner(const std::shared_ptr<Branches>& branches);
    bool done(NodeRef ref) const;

    std::shared_ptr<Instance> instance_;
    std::vector<Lane> lanes_;
    std::mt19937_64 draw_;
    bool begun_ = false;
    bool over_ = false;
};

}  // namespace aclref::capture
