#include "operators/reset.hpp"

#include "operators/attributes.hpp"
#include "operators/handles.hpp"
#include "operators/kernels.hpp"
#include "operators/registry.hpp"
#include "operators/selectors.hpp"

namespace aclref {

void forget_operator_objects() {
    operator_attributes().clear();
    operator_handles().clear();
    forget_operators();
    forget_selectors();
    forget_operator_kernels();
}

}  // namespace aclref
