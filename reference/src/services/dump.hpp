// Data dump (chapter 18): what is dumped, and where it goes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl_dump.h"
#include "base/errors.hpp"
#include "runtime/dump_config.hpp"

namespace aclref {

/// aclInit's file switches dump on, or does not.
void start_initial_dump(const std::optional<DumpConfig>& config);

aclError init_dump();
aclError set_dump(const char* path);
aclError finalize_dump();
void finish_dump();

/// The path of a kind of dump; null while it is off. Stays until the configuration changes.
const char* dump_path(acldumpType type);
/// The folder for exception dumps of a device; empty while exception dump is off.
std::string exception_folder(int device);
/// Writes tensors in device memory into that folder. 0 or a recorded code.
aclError save_exception_info(const std::string& folder, const char* name, const acldumpTensorInfo* tensors, std::size_t count);

using DumpMessage = int32_t (*)(const acldumpChunk*, int32_t);
void set_dump_callback(DumpMessage function);
void forget_dump_callback();

/// How a model that is being loaded will be dumped: null when the configuration in force does not name it.
std::shared_ptr<const DumpConfig> dump_of_model(const std::string& name);

struct DumpedTensor {
    bool input;
    std::size_t index;
    std::vector<std::byte> bytes;
};
/// The same for a run: of the configuration the model was loaded under.
std::shared_ptr<const DumpConfig> dump_of_run(const std::shared_ptr<const DumpConfig>& at_load, const std::string& name);
/// Writes the tensors of one run of a model, or hands them to the registered function.
void dump_run(const DumpConfig& config, const std::string& model, std::uint32_t id, int device,
              const std::vector<DumpedTensor>& tensors);

}  // namespace aclref
