// Graphs of single operators, written to text files.
#pragma once

#include <string>

#include "acl/acl_op_compiler.h"
#include "operators/call.hpp"

namespace aclref {

/// What aclCreateGraphDumpOpt makes; nothing can be set in it.
struct GraphDumpOption {};

HandleTable<GraphDumpOption>& graph_dump_options();

/// Writes the graph of an operator to a file; to one of a name of its own where the path is a directory. 0 or a recorded code.
aclError dump_graph(const OperatorCall& call, const std::string& path);

}  // namespace aclref
