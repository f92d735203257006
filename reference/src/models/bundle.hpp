// Bundles: files with several models, loaded together or one by one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/errors.hpp"
#include "base/handle_table.hpp"
#include "models/config.hpp"
#include "models/model.hpp"

namespace aclref::models {

/// A bundle's members, read and not loaded.
struct BundleFile {
    std::uint64_t variable_bytes = 0;
    std::vector<std::shared_ptr<const Plan>> members;
    std::string folder;  ///< of the file's external weights; empty for memory
};

aclError read_bundle_file(const char* path, BundleFile& out);
aclError read_bundle_memory(const void* image, std::size_t size, BundleFile& out);

/// What a program asks about a bundle before it loads one.
struct BundleQuery {
    BundleFile file;
};

HandleTable<BundleQuery>& bundle_queries();

/// Takes a bundle in, without a model of it; null `variables.pointer`: the library takes the memory. 0 or a recorded code.
aclError initialise_bundle(BundleFile file, GivenMemory variables, std::uint32_t& id);

/// Takes a bundle in and loads every member. 0 or a recorded code.
aclError load_bundle(BundleFile file, std::uint32_t& id);

/// Loads one member of a bundle that was initialised. `request` says where; its plan is set here.
aclError load_member(std::uint32_t bundle, std::size_t index, LoadRequest request, std::uint32_t& id);

aclError count_members(std::uint32_t bundle, std::size_t& count);
aclError member_id(std::uint32_t bundle, std::size_t index, std::uint32_t& id);
aclError unload_member(std::uint32_t bundle, std::uint32_t id);
aclError unload_bundle(std::uint32_t bundle);

/// Faulty builds only: the last model of the bundle that was unloaded last; 0: none.
std::atomic<std::uint32_t>& last_member_unloaded();

/// Forgets the bundles of a device that is reset; of every device for -1.
void release_bundles(int device);

}  // namespace aclref::models
