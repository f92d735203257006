// Graph engine: configuration handles and attributes of models.
#include <atomic>

#include "base/faults/models.hpp"
#include "models/config.hpp"
#include "models/model.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

constexpr std::uint32_t lowest_priority = 7;

/// The configuration of a handle, or a recorded ACL_ERROR_INVALID_PARAM in `code`.
template <class Config>
std::shared_ptr<Config> require(const HandleTable<Config>& table, const void* handle, aclError& code) {
    auto config = handle == nullptr ? nullptr : table.find(handle);
    if (!config) code = refuse(ACL_ERROR_INVALID_PARAM, "handle is NULL or no configuration");
    return config;
}

/// The static model whose attribute is meant. Dynamic-shape models have none.
std::shared_ptr<Model> model_with_attributes(std::uint32_t id, aclmdlAttr attribute, aclError& code) {
    if (attribute != ACL_MDL_ATTR_PRIORITY_INT32) {
        code = refuse(ACL_ERROR_INVALID_PARAM, "there is no attribute %d", attribute);
        return nullptr;
    }
    auto model = require_model(id, code);
    if (!model || !model->plan().is_dynamic || faulty(Fault::attribute_of_dynamic_model)) return model;
    code = refuse(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, "model %u has dynamic shapes and no attributes", id);
    return nullptr;
}

}  // namespace

extern "C" {

aclmdlConfigHandle* aclmdlCreateConfigHandle() {
    if (enter(Function::aclmdlCreateConfigHandle) != 0) return nullptr;
    static std::atomic<aclmdlConfigHandle*> last{nullptr};
    if (aclmdlConfigHandle* again = last; faulty(Fault::config_one_handle) && load_configs().find(again)) return again;
    return last = static_cast<aclmdlConfigHandle*>(load_configs().add(std::make_shared<LoadConfig>()));
}

aclError aclmdlDestroyConfigHandle(aclmdlConfigHandle* handle) {
    ACLREF_ENTER(aclmdlDestroyConfigHandle);
    ACLREF_REQUIRE(handle);
    if (faulty(Fault::config_needed_by_model)) release_models(-1);
    if (faulty(Fault::config_destroy_leaks)) return 0;
    return load_configs().remove(handle) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "handle is no configuration");
}

aclError aclmdlSetConfigOpt(aclmdlConfigHandle* handle, aclmdlConfigAttr attr, const void* attrValue, size_t valueSize) {
    ACLREF_ENTER(aclmdlSetConfigOpt);
    aclError code = 0;
    auto config = require(load_configs(), handle, code);
    if (!config) return code;
    ACLREF_REQUIRE(attrValue);
    return set_load_option(*config, attr, attrValue, valueSize);
}

aclError aclmdlSetExternalWeightAddress(aclmdlConfigHandle* handle, const char* weightFileName, void* devPtr, size_t size) {
    ACLREF_ENTER(aclmdlSetExternalWeightAddress);
    constexpr std::size_t grain = 32;
    aclError code = 0;
    auto config = require(load_configs(), handle, code);
    if (!config) return code;
    ACLREF_REQUIRE(weightFileName);
    ACLREF_REQUIRE(devPtr);
    if ((size == 0 || size % grain != 0) && !faulty(Fault::weight_sizes_unaligned))
        return refuse(ACL_ERROR_INVALID_PARAM, "%zu bytes are no multiple of %zu", size, grain);
    config->external_weights[weightFileName] = {devPtr, size};
    return 0;
}

aclError aclmdlLoadWithConfig(const aclmdlConfigHandle* handle, uint32_t* modelId) {
    ACLREF_ENTER(aclmdlLoadWithConfig);
    aclError code = 0;
    auto config = require(load_configs(), handle, code);
    if (!config) return code;
    ACLREF_REQUIRE(modelId);
    if (faulty(Fault::config_used_up) && config->loaded.exchange(true))
        return refuse(ACL_ERROR_INVALID_PARAM, "the configuration was used before");
    if (faulty(Fault::config_path_kept_after_load)) config->loaded = true;
    return load_configured(*config, *modelId);
}

aclmdlExecConfigHandle* aclmdlCreateExecConfigHandle() {
    if (enter(Function::aclmdlCreateExecConfigHandle) != 0 || faulty(Fault::execution_handle_missing)) return nullptr;
    return static_cast<aclmdlExecConfigHandle*>(execution_configs().add(std::make_shared<ExecutionConfig>()));
}

aclError aclmdlDestroyExecConfigHandle(const aclmdlExecConfigHandle* handle) {
    ACLREF_ENTER(aclmdlDestroyExecConfigHandle);
    ACLREF_REQUIRE(handle);
    return execution_configs().remove(handle) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "handle is no configuration");
}

aclError aclmdlSetExecConfigOpt(aclmdlExecConfigHandle* handle, aclmdlExecConfigAttr attr, const void* attrValue,
                                size_t valueSize) {
    ACLREF_ENTER(aclmdlSetExecConfigOpt);
    aclError code = 0;
    auto config = require(execution_configs(), handle, code);
    if (!config) return code;
    ACLREF_REQUIRE(attrValue);
    return set_execution_option(*config, attr, attrValue, valueSize);
}

aclError aclmdlSetAttribute(uint32_t modelId, aclmdlAttr attr, aclmdlAttrValue_t* attrValue) {
    ACLREF_ENTER(aclmdlSetAttribute);
    ACLREF_REQUIRE(attrValue);
    aclError code = 0;
    auto model = model_with_attributes(modelId, attr, code);
    if (!model) return code;
    if (attrValue->mdlPriority > lowest_priority && !faulty(Fault::config_priority_any))
        return refuse(ACL_ERROR_INVALID_PARAM, "priority %u is above %u", attrValue->mdlPriority, lowest_priority);
    if (faulty(Fault::attribute_of_all_models))
        for (const auto& other : all_models()) other->priority = attrValue->mdlPriority;
    if (!faulty(Fault::attribute_not_kept)) model->priority = attrValue->mdlPriority;
    return 0;
}

aclError aclmdlGetAttribute(uint32_t modelId, aclmdlAttr attr, aclmdlAttrValue_t* attrValue) {
    ACLREF_ENTER(aclmdlGetAttribute);
    ACLREF_REQUIRE(attrValue);
    aclError code = 0;
    auto model = model_with_attributes(modelId, attr, code);
    if (!model) return code;
    attrValue->mdlPriority = model->priority;
    return 0;
}

}  // extern "C"
