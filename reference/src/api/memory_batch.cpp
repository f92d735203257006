// Batches of copies; the second version reports no failing piece.
#include "base/faults/copy.hpp"
#include "copy/copy.hpp"

using namespace aclref;

namespace {

aclError refuse_null_report(const char* api) { return fail(ACL_ERROR_INVALID_PARAM, "%s: failIndex is null", api); }

}  // namespace

aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex) {
    ACLREF_ENTER(aclrtMemcpyBatch);
    if (failIndex == nullptr && !faulty(Fault::batch_null_report_accepted)) return refuse_null_report(__func__);
    return copy_batch_now({dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex}, __func__);
}

aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex,
                               aclrtStream stream) {
    ACLREF_ENTER(aclrtMemcpyBatchAsync);
    if (failIndex == nullptr && !faulty(Fault::batch_null_report_accepted)) return refuse_null_report(__func__);
    return copy_batch_on_stream({dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex},
                                stream, __func__);
}

aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                            aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs) {
    ACLREF_ENTER(aclrtMemcpyBatchV2);
    return copy_batch_now({dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, nullptr}, __func__);
}

aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                                 aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                                 aclrtStream stream) {
    ACLREF_ENTER(aclrtMemcpyBatchAsyncV2);
    return copy_batch_on_stream({dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, nullptr}, stream,
                                __func__);
}
