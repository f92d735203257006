// Graph engine: what is known of a model's operators.
#include <cstring>

#include "base/faults/models.hpp"
#include "models/description.hpp"
#include "models/model.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

extern "C" {

const char* aclmdlGetOpAttr(aclmdlDesc* modelDesc, const char* opName, const char* attr) {
    if (enter(Function::aclmdlGetOpAttr) != 0) return nullptr;
    const char* none = faulty(Fault::operator_attribute_made_up) ? "operator" : nullptr;
    auto description = find_description(modelDesc);
    if (!description || !description->plan || opName == nullptr || attr == nullptr) return none;
    // A description of a file belongs to no model, and only a loaded one knows its operators.
    if (description->model == 0 || std::strcmp(attr, ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES) != 0) return none;
    for (const Operator& each : description->plan->operators)
        if (each.name == opName) return each.original_names.c_str();
    return none;
}

}  // extern "C"
