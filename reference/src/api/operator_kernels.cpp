// Graph engine: kernels of custom operators, and the selectors that choose among them.
#include <vector>

#include "base/faults/services.hpp"
#include "memory/address_space.hpp"
#include "models/caller_array.hpp"
#include "operators/kernels.hpp"
#include "operators/selectors.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

/// The choice of a selector that is running; null, with a recorded code, for any other handle.
std::shared_ptr<KernelChoice> require_choice(const aclopKernelDesc* handle, aclError& code) {
    auto choice = kernel_choices().find(handle);
    if (!choice) code = refuse(ACL_ERROR_INVALID_PARAM, "kernelDesc is not that of a running selector");
    return choice;
}

/// The descriptions a kernel is chosen for. 0 or a recorded code.
aclError take_descriptions(int count, const aclTensorDesc* const* array, const char* what, DescribedTensors& out) {
    const aclError code = read_descriptions(count, array, what, out);
    if (code == 0 || !faulty(Fault::selector_arrays_unchecked)) return code;
    out = {};
    return 0;
}

}  // namespace

extern "C" {

aclError aclopRegisterCompileFunc(const char* opType, aclopCompileFunc func) {
    ACLREF_ENTER(aclopRegisterCompileFunc);
    ACLREF_NEEDS(opType);
    ACLREF_NEEDS(func);
    return add_selector(opType, func);
}

aclError aclopUnregisterCompileFunc(const char* opType) {
    ACLREF_ENTER(aclopUnregisterCompileFunc);
    ACLREF_NEEDS(opType);
    return remove_selector(opType);
}

aclError aclopUpdateParams(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[], int numOutputs,
                           const aclTensorDesc* const outputDesc[], const aclopAttr* attr) {
    ACLREF_ENTER(aclopUpdateParams);
    ACLREF_NEEDS(opType);
    OperatorTensors given{opType, {}, {}, attr};
    if (aclError code = take_descriptions(numInputs, inputDesc, "inputDesc", given.inputs)) return code;
    if (aclError code = take_descriptions(numOutputs, outputDesc, "outputDesc", given.outputs)) return code;
    return choose_kernel(given);
}

aclError aclopCreateKernel(const char* opType, const char* kernelId, const char* kernelName, void* binData, int binSize,
                           aclopEngineType enginetype, aclDataDeallocator deallocator) {
    ACLREF_ENTER(aclopCreateKernel);
    ACLREF_NEEDS(opType);
    ACLREF_NEEDS(kernelId);
    ACLREF_NEEDS(kernelName);
    ACLREF_NEEDS(binData);
    if (binSize <= 0) return refuse(ACL_ERROR_INVALID_PARAM, "the binary cannot have %d bytes", binSize);
    if (enginetype < ACL_ENGINE_SYS || enginetype > ACL_ENGINE_VECTOR)
        return refuse(ACL_ERROR_INVALID_PARAM, "there is no engine %d", enginetype);
    if (!deallocator && faulty(Fault::kernel_needs_deallocator)) return refuse(ACL_ERROR_INVALID_PARAM, "deallocator is NULL");
    OperatorKernel kernel{kernelName, {}};
    const auto size = static_cast<std::size_t>(binSize);
    if (aclError code = read_array(binData, size, kernel.binary)) return code;
    if (aclError code = add_operator_kernel(opType, kernelId, std::move(kernel))) return code;
    if (faulty(Fault::kernel_binary_cleared)) (void)AddressSpace::instance().fill(binData, 0, size);
    // The library has a copy and needs the caller's bytes no longer.
    if (deallocator) deallocator(binData, size);
    return 0;
}

aclError aclopSetKernelArgs(aclopKernelDesc* kernelDesc, const char* kernelId, uint32_t blockDim, const void* args,
                            uint32_t argSize) {
    ACLREF_ENTER(aclopSetKernelArgs);
    ACLREF_NEEDS(kernelDesc);
    ACLREF_NEEDS(kernelId);
    ACLREF_NEEDS(args);
    aclError code = 0;
    auto choice = require_choice(kernelDesc, code);
    if (!choice) return code;
    if (faulty(Fault::kernel_arguments_refused)) return refuse(ACL_ERROR_INVALID_PARAM, "the arguments cannot be set");
    std::lock_guard lock(choice->mutex);
    if (code = read_array(args, argSize, choice->tiling); code != 0) return code;
    choice->kernel = kernelId;
    choice->blocks = blockDim;
    return 0;
}

aclError aclopSetKernelWorkspaceSizes(aclopKernelDesc* kernelDesc, int numWorkspaces, size_t* workspaceSizes) {
    ACLREF_ENTER(aclopSetKernelWorkspaceSizes);
    ACLREF_NEEDS(kernelDesc);
    aclError code = 0;
    auto choice = require_choice(kernelDesc, code);
    if (!choice) return code;
    if (faulty(Fault::kernel_workspaces_refused)) return refuse(ACL_ERROR_INVALID_PARAM, "the sizes cannot be set");
    const bool unchecked = faulty(Fault::kernel_workspaces_unchecked);
    if (unchecked && (numWorkspaces < 0 || !workspaceSizes)) return 0;
    if (numWorkspaces < 0) return refuse(ACL_ERROR_INVALID_PARAM, "there cannot be %d workspaces", numWorkspaces);
    if (numWorkspaces == 0 && faulty(Fault::kernel_no_workspaces_refused))
        return refuse(ACL_ERROR_INVALID_PARAM, "there are no workspaces");
    if (numWorkspaces > 0) ACLREF_NEEDS(workspaceSizes);
    std::vector<std::size_t> sizes;
    if (code = read_array(workspaceSizes, static_cast<std::size_t>(numWorkspaces), sizes); code != 0) return code;
    std::lock_guard lock(choice->mutex);
    choice->workspaces.insert(choice->workspaces.end(), sizes.begin(), sizes.end());
    return 0;
}

}  // extern "C"
