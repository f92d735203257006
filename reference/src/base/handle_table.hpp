// Handles the caller holds are numbers, never addresses of our objects: a stale or made-up handle is looked up,
// found missing and refused, and a value is never given out twice in one process.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace aclref {

/// Next unused handle value: non-null, 16-byte spaced, in a range that no mapping of the process uses.
void* new_handle_value();

template <class Object>
class HandleTable {
public:
    void* add(std::shared_ptr<Object> object) {
        void* handle = new_handle_value();
        std::unique_lock lock(mutex_);
        objects_.emplace(handle, std::move(object));
        return handle;
    }
    std::shared_ptr<Object> find(const void* handle) const {
        std::shared_lock lock(mutex_);
        auto it = objects_.find(const_cast<void*>(handle));
        return it == objects_.end() ? nullptr : it->second;
    }
    /// Removes and returns the object; null when the handle is not (or no longer) valid.
    std::shared_ptr<Object> remove(const void* handle) {
        std::unique_lock lock(mutex_);
        auto it = objects_.find(const_cast<void*>(handle));
        if (it == objects_.end()) return nullptr;
        auto object = std::move(it->second);
        objects_.erase(it);
        return object;
    }
    std::size_t size() const {
        std::shared_lock lock(mutex_);
        return objects_.size();
    }
    std::vector<std::shared_ptr<Object>> all() const {
        std::shared_lock lock(mutex_);
        std::vector<std::shared_ptr<Object>> out;
        for (auto& entry : objects_) out.push_back(entry.second);
        return out;
    }
    void clear() {
        std::unique_lock lock(mutex_);
        objects_.clear();
    }

private:
    mutable std::shared_mutex mutex_;
    std::unordered_map<void*, std::shared_ptr<Object>> objects_;
};

}  // namespace aclref
