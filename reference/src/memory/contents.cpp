#include "memory/contents.hpp"

#include <cstring>

#include "memory/regions.hpp"

namespace aclref {

namespace {

bool is_device_memory(const Region& region) {
    return region.bytes != nullptr && !region.caller_owned && region.located.device >= 0 && !region.located.on_host();
}

}  // namespace

std::vector<SavedRange> save_device_memory() {
    auto& space = AddressSpace::instance().impl();
    std::vector<SavedRange> out;
    std::shared_lock lock(space.mutex);
    for (const auto& [base, region] : space.regions)
        if (is_device_memory(region)) out.push_back({base, {region.bytes, region.bytes + region.span}});
    return out;
}

void restore_device_memory(const std::vector<SavedRange>& saved) {
    auto& space = AddressSpace::instance().impl();
    std::shared_lock lock(space.mutex);
    for (const SavedRange& range : saved) {
        auto it = space.regions.find(range.base);
        if (it != space.regions.end() && is_device_memory(it->second) && it->second.span == range.bytes.size())
            std::memcpy(it->second.bytes, range.bytes.data(), range.bytes.size());
    }
}

}  // namespace aclref
