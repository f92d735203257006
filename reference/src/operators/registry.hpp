// Single-operator models that are loaded, for the whole process: what executing an operator and making a handle of it
// look up. The longest unused go where there are too many.
#pragma once

#include <cstdint>
#include <memory>

#include "models/plan.hpp"
#include "operators/call.hpp"

namespace aclref {

/// Loads the model in these bytes. 0 or a recorded code.
aclError load_operator(models::Bytes bytes);

/// Loads an operator that is there already; it takes the place of one like it.
void keep_operator(std::shared_ptr<const models::Plan> plan);

/// Loads every model in a directory and the two levels below it, once per process. 0 or a recorded code.
aclError load_operators_below(const char* directory);

/// How many operators may be loaded.
void set_most_operators(std::uint64_t most);

/// The loaded operator that fits a call, and the dims of all its operands for that call, the greatest where they depend
/// on data; null and a recorded ACL_ERROR_OP_NOT_FOUND in `code`.
std::shared_ptr<const models::Plan> find_operator(const OperatorCall& call, std::vector<models::Dims>& dims, aclError& code);

/// Unloads an operator; only faults do.
void unload_operator(const models::Plan& plan);

/// Unloads all operators, and nothing else changes; only faults do.
void unload_operators();

/// Unloads every operator; a directory can be set again.
void forget_operators();

}  // namespace aclref
