// The section `dump` of a configuration: of aclInit's file, and of aclmdlSetDump's.
#pragma once

#include <set>
#include <string>

#include "base/errors.hpp"
#include "base/json.hpp"

namespace aclref {

struct DumpConfig {
    std::string path;
    std::string scene;             ///< "" or what exception dump, or the watcher, is called
    bool every_model = false;      ///< the list names no model
    std::set<std::string> models;  ///< names of the models that are dumped
    bool operators = false;        ///< dump_op_switch
    bool overflow = false;         ///< dump_debug
    bool inputs = true;            ///< dump_mode
    bool outputs = true;

    bool dumps_models() const { return every_model || !models.empty(); }
    bool dumps_model(const std::string& name) const { return every_model || models.contains(name); }
    bool watches() const { return scene == "watcher"; }
    bool dumps_exceptions() const { return !scene.empty() && !watches(); }
};

/// Reads and checks the section. 0, or a recorded ACL_ERROR_INVALID_DUMP_CONFIG.
aclError read_dump_config(const Json& dump, DumpConfig& out);

}  // namespace aclref
