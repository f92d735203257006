// Graph engine: bundles of models.
#include "base/faults/models.hpp"
#include "models/bundle.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

std::shared_ptr<BundleQuery> require_query(const aclmdlBundleQueryInfo* handle, aclError& code) {
    auto query = handle == nullptr ? nullptr : bundle_queries().find(handle);
    if (!query) code = refuse(ACL_ERROR_INVALID_PARAM, "queryInfo is NULL or no query");
    return query;
}

}  // namespace

extern "C" {

aclError aclmdlBundleLoadFromFile(const char* modelPath, uint32_t* bundleId) {
    ACLREF_ENTER(aclmdlBundleLoadFromFile);
    ACLREF_REQUIRE(modelPath);
    ACLREF_REQUIRE(bundleId);
    BundleFile file;
    if (aclError code = read_bundle_file(modelPath, file)) return code;
    return load_bundle(std::move(file), *bundleId);
}

aclError aclmdlBundleLoadFromMem(const void* model, size_t modelSize, uint32_t* bundleId) {
    ACLREF_ENTER(aclmdlBundleLoadFromMem);
    ACLREF_REQUIRE(model);
    ACLREF_REQUIRE(bundleId);
    BundleFile file;
    if (aclError code = read_bundle_memory(model, modelSize, file)) return code;
    return load_bundle(std::move(file), *bundleId);
}

aclError aclmdlBundleInitFromFile(const char* modelPath, void* varWeightPtr, size_t varWeightSize, uint32_t* bundleId) {
    ACLREF_ENTER(aclmdlBundleInitFromFile);
    ACLREF_REQUIRE(modelPath);
    ACLREF_REQUIRE(bundleId);
    BundleFile file;
    if (aclError code = read_bundle_file(modelPath, file)) return code;
    return initialise_bundle(std::move(file), {varWeightPtr, varWeightSize}, *bundleId);
}

aclError aclmdlBundleInitFromMem(const void* model, size_t modelSize, void* varWeightPtr, size_t varWeightSize,
                                 uint32_t* bundleId) {
    ACLREF_ENTER(aclmdlBundleInitFromMem);
    ACLREF_REQUIRE(model);
    ACLREF_REQUIRE(bundleId);
    BundleFile file;
    if (aclError code = read_bundle_memory(model, modelSize, file)) return code;
    return initialise_bundle(std::move(file), {varWeightPtr, varWeightSize}, *bundleId);
}

aclError aclmdlBundleUnload(uint32_t bundleId) {
    ACLREF_ENTER(aclmdlBundleUnload);
    return unload_bundle(bundleId);
}

aclError aclmdlBundleGetModelNum(uint32_t bundleId, size_t* modelNum) {
    ACLREF_ENTER(aclmdlBundleGetModelNum);
    ACLREF_REQUIRE(modelNum);
    return count_members(bundleId, *modelNum);
}

aclError aclmdlBundleGetModelId(uint32_t bundleId, size_t index, uint32_t* modelId) {
    ACLREF_ENTER(aclmdlBundleGetModelId);
    ACLREF_REQUIRE(modelId);
    return member_id(bundleId, index, *modelId);
}

aclError aclmdlBundleLoadModel(uint32_t bundleId, size_t index, uint32_t* modelId) {
    ACLREF_ENTER(aclmdlBundleLoadModel);
    ACLREF_REQUIRE(modelId);
    return load_member(bundleId, index, {}, *modelId);
}

aclError aclmdlBundleLoadModelWithMem(uint32_t bundleId, size_t index, void* workPtr, size_t workSize, void* weightPtr,
                                      size_t weightSize, uint32_t* modelId) {
    ACLREF_ENTER(aclmdlBundleLoadModelWithMem);
    ACLREF_REQUIRE(modelId);
    LoadRequest request;
    request.work = {workPtr, workSize};
    request.weights = {weightPtr, weightSize};
    return load_member(bundleId, index, std::move(request), *modelId);
}

aclError aclmdlBundleLoadModelWithConfig(uint32_t bundleId, size_t index, aclmdlConfigHandle* handle, uint32_t* modelId) {
    ACLREF_ENTER(aclmdlBundleLoadModelWithConfig);
    ACLREF_REQUIRE(handle);
    ACLREF_REQUIRE(modelId);
    auto config = load_configs().find(handle);
    if (!config) return refuse(ACL_ERROR_INVALID_PARAM, "handle is no configuration");
    LoadRequest request;
    request.work = config->work;
    request.weights = config->weights;
    request.weight_folder = config->weight_folder.value_or("");
    request.external_weights = config->external_weights;
    request.priority = static_cast<std::uint32_t>(config->priority);
    request.without_graph = config->without_graph;
    return load_member(bundleId, index, std::move(request), *modelId);
}

aclError aclmdlBundleUnloadModel(uint32_t bundleId, uint32_t modelId) {
    ACLREF_ENTER(aclmdlBundleUnloadModel);
    return unload_member(bundleId, modelId);
}

aclmdlBundleQueryInfo* aclmdlBundleCreateQueryInfo() {
    if (enter(Function::aclmdlBundleCreateQueryInfo) != 0) return nullptr;
    return static_cast<aclmdlBundleQueryInfo*>(bundle_queries().add(std::make_shared<BundleQuery>()));
}

aclError aclmdlBundleDestroyQueryInfo(aclmdlBundleQueryInfo* queryInfo) {
    ACLREF_ENTER(aclmdlBundleDestroyQueryInfo);
    ACLREF_REQUIRE(queryInfo);
    return bundle_queries().remove(queryInfo) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "queryInfo is no query");
}

aclError aclmdlBundleQueryInfoFromFile(const char* fileName, aclmdlBundleQueryInfo* queryInfo) {
    ACLREF_ENTER(aclmdlBundleQueryInfoFromFile);
    ACLREF_REQUIRE(fileName);
    aclError code = 0;
    auto query = require_query(queryInfo, code);
    if (!query) return code;
    BundleFile file;
    if (code = read_bundle_file(fileName, file); code != 0) return code;
    query->file = std::move(file);
    return 0;
}

aclError aclmdlBundleQueryInfoFromMem(const void* model, size_t modelSize, aclmdlBundleQueryInfo* queryInfo) {
    ACLREF_ENTER(aclmdlBundleQueryInfoFromMem);
    ACLREF_REQUIRE(model);
    aclError code = 0;
    auto query = require_query(queryInfo, code);
    if (!query) return code;
    BundleFile file;
    if (code = read_bundle_memory(model, modelSize, file); code != 0) return code;
    query->file = std::move(file);
    return 0;
}

aclError aclmdlBundleGetQueryModelNum(const aclmdlBundleQueryInfo* queryInfo, size_t* modelNum) {
    ACLREF_ENTER(aclmdlBundleGetQueryModelNum);
    ACLREF_REQUIRE(modelNum);
    aclError code = 0;
    auto query = require_query(queryInfo, code);
    if (!query) return code;
    *modelNum = query->file.members.size();
    return 0;
}

aclError aclmdlBundleGetVarWeightSize(const aclmdlBundleQueryInfo* queryInfo, size_t* variableWeightSize) {
    ACLREF_ENTER(aclmdlBundleGetVarWeightSize);
    ACLREF_REQUIRE(variableWeightSize);
    aclError code = 0;
    auto query = require_query(queryInfo, code);
    if (!query) return code;
    *variableWeightSize = query->file.variable_bytes;
    return 0;
}

aclError aclmdlBundleGetSize(const aclmdlBundleQueryInfo* queryInfo, size_t index, size_t* workSize, size_t* constWeightSize) {
    ACLREF_ENTER(aclmdlBundleGetSize);
    ACLREF_REQUIRE(workSize);
    ACLREF_REQUIRE(constWeightSize);
    aclError code = 0;
    auto query = require_query(queryInfo, code);
    if (!query) return code;
    if (faulty(Fault::bundle_index_wraps) && !query->file.members.empty()) index %= query->file.members.size();
    if (index >= query->file.members.size())
        return refuse(ACL_ERROR_INVALID_PARAM, "the bundle has %zu models", query->file.members.size());
    *workSize = query->file.members[index]->work_bytes;
    *constWeightSize = query->file.members[index]->weight_bytes;
    return 0;
}

}  // extern "C"
