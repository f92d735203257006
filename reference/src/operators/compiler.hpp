// Compiling single operators online: what a model file holds is made from a call of the operator.
#pragma once

#include "acl/acl_op_compiler.h"
#include "operators/call.hpp"

namespace aclref {

/// 0 where operators are compiled for this engine and in this way, else a recorded code.
aclError check_compilation(aclopEngineType engine, aclopCompileType kind);

/// Makes the operator of a call and loads it. 0 or a recorded code.
aclError compile_operator(const OperatorCall& call);

/// 0 where the operator of a call can be made, else a recorded code.
aclError check_operator(const OperatorCall& call);

/// Whether operators are compiled for other dims than those of the call as well: aclopSetCompileFlag.
void compile_for_any_dims(bool on);

}  // namespace aclref
