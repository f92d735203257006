// Chapters 06 and 10: branches between streams of a model instance. Outside an instance there is nothing to branch to.
#include <cstdint>
#include <memory>

#include "runtime/labels.hpp"
#include "runtime/runtime.hpp"
#include "runtime/stream.hpp"

using namespace aclref;

extern "C" {

aclError aclrtCreateLabel(aclrtLabel* label) {
    ACLREF_ENTER(aclrtCreateLabel);
    ACLREF_REQUIRE(label);
    aclError code = 0;
    if (!require_context(code, current_function())) return code;
    void* made = create_label();
    if (!made) return refuse(ACL_ERROR_RT_INTERNAL_ERROR, "the process has %zu labels, which is the limit", most_labels);
    *label = made;
    return 0;
}

aclError aclrtDestroyLabel(aclrtLabel label) {
    ACLREF_ENTER(aclrtDestroyLabel);
    ACLREF_REQUIRE(label);
    return destroy_label(label) ? 0 : refuse(ACL_ERROR_RT_INVALID_HANDLE, "the label does not exist");
}

aclError aclrtCreateLabelList(aclrtLabel* labels, size_t num, aclrtLabelList* labelList) {
    ACLREF_ENTER(aclrtCreateLabelList);
    ACLREF_REQUIRE(labels);
    ACLREF_REQUIRE(labelList);
    if (num == 0 || num > most_labels)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "num %zu is not between 1 and %zu", num, most_labels);
    aclError code = 0;
    if (!require_context(code, current_function())) return code;
    std::vector<void*> listed(labels, labels + num);
    for (void* label : listed)
        if (!is_label(label)) return refuse(ACL_ERROR_RT_INVALID_HANDLE, "labels holds one that does not exist");
    *labelList = create_label_list(std::move(listed));
    return 0;
}

aclError aclrtDestroyLabelList(aclrtLabelList labelList) {
    ACLREF_ENTER(aclrtDestroyLabelList);
    ACLREF_REQUIRE(labelList);
    return destroy_label_list(labelList) ? 0 : refuse(ACL_ERROR_RT_INVALID_HANDLE, "the label list does not exist");
}

}  // extern "C"
