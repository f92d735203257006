// Graph engine: loading single-operator models.
#include "base/faults/operators.hpp"
#include "models/sources.hpp"
#include "operators/registry.hpp"
#include "services/require.hpp"

using namespace aclref;

extern "C" {

aclError aclopSetModelDir(const char* modelDir) {
    ACLREF_ENTER(aclopSetModelDir);
    ACLREF_NEEDS(modelDir);
    return load_operators_below(modelDir);
}

aclError aclopLoad(const void* model, size_t modelSize) {
    ACLREF_ENTER(aclopLoad);
    ACLREF_NEEDS(model);
    if (modelSize == 0) return faulty(Fault::operator_content_unchecked) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "modelSize is 0");
    std::vector<std::byte> bytes;
    if (aclError code = models::read_image(model, modelSize, bytes)) return code;
    if (faulty(Fault::operator_load_lost)) return 0;
    const aclError code = load_operator(bytes);
    return faulty(Fault::operator_content_unchecked) ? 0 : code;
}

aclError aclopSetMaxOpQueueNum(uint64_t maxOpNum) {
    ACLREF_ENTER(aclopSetMaxOpQueueNum);
    if (faulty(Fault::operator_queue_fixed)) return maxOpNum == 0 ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "the length is fixed");
    if (maxOpNum == 0) return refuse(ACL_ERROR_INVALID_PARAM, "maxOpNum is 0");
    set_most_operators(maxOpNum);
    return 0;
}

}  // extern "C"
