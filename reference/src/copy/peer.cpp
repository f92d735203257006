#include "copy/peer.hpp"

#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "base/faults/copy.hpp"
#include "base/profile.hpp"

namespace aclref {

namespace {

struct Ways {
    std::mutex mutex;
    std::set<std::pair<int, int>> open;  ///< (device, peer)
    std::thread::id opener;              ///< what only faults look at
};

Ways& ways() {
    // Never destroyed: exit handlers of the caller may still copy.
    static Ways* all = new Ways;
    return *all;
}

}  // namespace

void open_peer_access(int device, int peer) {
    std::scoped_lock lock(ways().mutex);
    ways().open.emplace(device, peer);
    ways().opener = std::this_thread::get_id();
    if (faulty(Fault::peer_enable_both_ways)) ways().open.emplace(peer, device);
}

void close_peer_access(int device, int peer) {
    if (faulty(Fault::peer_disable_ignored)) return;
    std::scoped_lock lock(ways().mutex);
    if (faulty(Fault::peer_disable_of_other_threads_ignored) && ways().opener != std::this_thread::get_id()) return;
    ways().open.erase({device, peer});
}

bool peer_access_open(int device, int peer) {
    if (device == peer) return true;
    std::scoped_lock lock(ways().mutex);
    return ways().open.contains({device, peer});
}

bool devices_may_copy(int first, int second) {
    if (first == second) return true;
    if (faulty(Fault::copy_peer_unchecked)) return true;
    if (faulty(Fault::copy_peer_refused)) return false;
    if (profile().product == Product::A3) return true;
    std::scoped_lock lock(ways().mutex);
    return ways().open.contains({first, second}) || ways().open.contains({second, first});
}

void forget_peer_access(int device) {
    std::scoped_lock lock(ways().mutex);
    std::erase_if(ways().open, [device](const auto& way) { return way.first == device || way.second == device; });
}

}  // namespace aclref
