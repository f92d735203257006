#include "operators/reset.hpp"

#include "operators/attributes.hpp"
#include "operators/compile_options.hpp"
#include "operators/compiler.hpp"
#include "operators/graph_dump.hpp"
#include "operators/handles.hpp"
#include "operators/kernels.hpp"
#include "operators/registry.hpp"
#include "operators/selectors.hpp"

namespace aclref {

void forget_operator_objects() {
    operator_attributes().clear();
    operator_handles().clear();
    forget_operators();
    forget_compile_options();
    compile_for_any_dims(false);
    graph_dump_options().clear();
    forget_selectors();
    forget_operator_kernels();
}

}  // namespace aclref
