// Graph engine: loading and unloading models.
#include <atomic>

#include "base/faults/models.hpp"
#include "models/model.hpp"
#include "models/queued.hpp"
#include "models/sources.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

aclError load_source(const Source& source, const GivenMemory& work, const GivenMemory& weights, std::uint32_t& id) {
    LoadRequest request;
    request.plan = source.plan;
    request.weight_folder = source.folder;
    request.work = work;
    request.weights = weights;
    return load(std::move(request), id);
}

aclError load_file(const char* path, const GivenMemory& work, const GivenMemory& weights, std::uint32_t& id) {
    Source source;
    if (faulty(Fault::load_writes_id_on_failure)) id = 0;
    if (aclError code = read_file_model(path, source)) {
        if (faulty(Fault::load_writes_id_of_bad_file) && code != ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID) id = 0;
        return code;
    }
    return load_source(source, work, weights, id);
}

aclError load_memory(const void* image, std::size_t size, const GivenMemory& work, const GivenMemory& weights, std::uint32_t& id) {
    Source source;
    if (aclError code = read_memory_model(image, size, source)) return code;
    if (faulty(Fault::load_weights_of_image_lost)) note_image(image, size);
    return load_source(source, work, weights, id);
}

/// A dynamic-shape model takes its work memory when it runs.
aclError tell_sizes(const Source& source, std::size_t& work, std::size_t& weights) {
    if (std::uint32_t id = 0; faulty(Fault::sizes_take_memory)) (void)load_source(source, {}, {}, id);
    work = source.plan->is_dynamic ? (faulty(Fault::sizes_of_dynamic_model) ? 32 : 0) : source.plan->work_bytes;
    weights = source.plan->weight_bytes;
    static std::atomic<std::size_t> asked{0};
    if (faulty(Fault::sizes_grow)) weights += 32 * ++asked;
    return 0;
}

}  // namespace

extern "C" {

aclError aclmdlLoadFromFile(const char* modelPath, uint32_t* modelId) {
    ACLREF_ENTER(aclmdlLoadFromFile);
    ACLREF_REQUIRE(modelPath);
    ACLREF_REQUIRE(modelId);
    return load_file(modelPath, {}, {}, *modelId);
}

aclError aclmdlLoadFromMem(const void* model, size_t modelSize, uint32_t* modelId) {
    ACLREF_ENTER(aclmdlLoadFromMem);
    ACLREF_REQUIRE(model);
    ACLREF_REQUIRE(modelId);
    return load_memory(model, modelSize, {}, {}, *modelId);
}

aclError aclmdlLoadFromFileWithMem(const char* modelPath, uint32_t* modelId, void* workPtr, size_t workSize, void* weightPtr,
                                   size_t weightSize) {
    ACLREF_ENTER(aclmdlLoadFromFileWithMem);
    ACLREF_REQUIRE(modelPath);
    ACLREF_REQUIRE(modelId);
    return load_file(modelPath, {workPtr, workSize}, {weightPtr, weightSize}, *modelId);
}

aclError aclmdlLoadFromMemWithMem(const void* model, size_t modelSize, uint32_t* modelId, void* workPtr, size_t workSize,
                                  void* weightPtr, size_t weightSize) {
    ACLREF_ENTER(aclmdlLoadFromMemWithMem);
    ACLREF_REQUIRE(model);
    ACLREF_REQUIRE(modelId);
    return load_memory(model, modelSize, {workPtr, workSize}, {weightPtr, weightSize}, *modelId);
}

aclError aclmdlLoadFromFileWithQ(const char* modelPath, uint32_t* modelId, const uint32_t* inputQ, size_t inputQNum,
                                 const uint32_t* outputQ, size_t outputQNum) {
    ACLREF_ENTER(aclmdlLoadFromFileWithQ);
    ACLREF_REQUIRE(modelPath);
    ACLREF_REQUIRE(modelId);
    return load_queued_file(modelPath, {inputQ, inputQNum, outputQ, outputQNum}, *modelId);
}

aclError aclmdlLoadFromMemWithQ(const void* model, size_t modelSize, uint32_t* modelId, const uint32_t* inputQ, size_t inputQNum,
                                const uint32_t* outputQ, size_t outputQNum) {
    ACLREF_ENTER(aclmdlLoadFromMemWithQ);
    ACLREF_REQUIRE(model);
    ACLREF_REQUIRE(modelId);
    return load_queued_memory(model, modelSize, {inputQ, inputQNum, outputQ, outputQNum}, *modelId);
}

aclError aclmdlUnload(uint32_t modelId) {
    ACLREF_ENTER(aclmdlUnload);
    return unload(modelId);
}

aclError aclmdlQuerySize(const char* fileName, size_t* workSize, size_t* weightSize) {
    ACLREF_ENTER(aclmdlQuerySize);
    ACLREF_REQUIRE(fileName);
    ACLREF_REQUIRE(workSize);
    ACLREF_REQUIRE(weightSize);
    Source source;
    if (aclError code = read_file_model(fileName, source)) return code;
    return tell_sizes(source, *workSize, *weightSize);
}

aclError aclmdlQuerySizeFromMem(const void* model, size_t modelSize, size_t* workSize, size_t* weightSize) {
    ACLREF_ENTER(aclmdlQuerySizeFromMem);
    ACLREF_REQUIRE(model);
    ACLREF_REQUIRE(workSize);
    ACLREF_REQUIRE(weightSize);
    Source source;
    if (aclError code = read_memory_model(model, modelSize, source)) return code;
    return tell_sizes(source, *workSize, *weightSize);
}

aclError aclmdlQueryExeOMDesc(const char* fileName, aclmdlExeOMDesc* mdlPartitionSize) {
    ACLREF_ENTER(aclmdlQueryExeOMDesc);
    ACLREF_REQUIRE(fileName);
    ACLREF_REQUIRE(mdlPartitionSize);
    Source source;
    if (aclError code = read_file_model(fileName, source)) return code;
    *mdlPartitionSize = {};
    mdlPartitionSize->workSize = source.plan->work_bytes;
    mdlPartitionSize->weightSize = source.plan->weight_bytes;
    mdlPartitionSize->modelDescSize = source.plan->graph_bytes;
    mdlPartitionSize->staticTaskSize = source.plan->task_bytes;
    return 0;
}

}  // extern "C"
