// Reading the messages of a model's partitions, and whether what they say fits together.
#pragma once

#include <string>

#include "models/plan.hpp"

namespace aclref::models {

/// What the graph demands of the host.
struct GraphFacts {
    std::string product;            ///< key of the product it was built for; empty: any
    std::string operators_version;
};

/// False for bytes that are no graph message.
bool read_graph(Bytes bytes, Plan& plan, GraphFacts& facts);

/// False for bytes that are no task message.
bool read_tasks(Bytes bytes, Plan& plan);

/// Why the model cannot run; null where it can. Sets the size of its weights.
const char* contradiction(Plan& plan);

}  // namespace aclref::models
