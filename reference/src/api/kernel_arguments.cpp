// Chapter 14: argument lists of kernels.
#include "base/faults/kernels.hpp"
#include "kernels/arguments.hpp"
#include "kernels/require.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using kernels::ArgumentList;

extern "C" {

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle* argsHandle) {
    ACLREF_ENTER(aclrtKernelArgsInit);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    ACLREF_REQUIRE_KERNEL(argsHandle);
    return kernels::make_list(funcHandle, *argsHandle);
}

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void* userHostMem,
                                      size_t actualArgsSize) {
    ACLREF_ENTER(aclrtKernelArgsInitByUserMem);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    ACLREF_REQUIRE_KERNEL(argsHandle);
    ACLREF_REQUIRE_KERNEL(userHostMem);
    if (actualArgsSize == 0) return kernels::refuse_zero("actualArgsSize");
    return kernels::make_list_in(funcHandle, argsHandle, userHostMem, actualArgsSize);
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize, size_t* actualArgsSize) {
    ACLREF_ENTER(aclrtKernelArgsGetMemSize);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    ACLREF_REQUIRE_KERNEL(actualArgsSize);
    aclError code = 0;
    if (!kernels::require_function(funcHandle, code)) return code;
    *actualArgsSize = kernels::argument_memory(userArgsSize);
    return 0;
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t* memSize) {
    ACLREF_ENTER(aclrtKernelArgsGetHandleMemSize);
    ACLREF_REQUIRE_KERNEL(funcHandle);
    ACLREF_REQUIRE_KERNEL(memSize);
    aclError code = 0;
    if (!kernels::require_function(funcHandle, code)) return code;
    *memSize = sizeof(ArgumentList) - (faulty(Fault::args_handle_too_small) ? sizeof(void*) : 0);
    return 0;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param, size_t paramSize, aclrtParamHandle* paramHandle) {
    ACLREF_ENTER(aclrtKernelArgsAppend);
    ACLREF_REQUIRE_KERNEL(argsHandle);
    ACLREF_REQUIRE_KERNEL(param);
    ACLREF_REQUIRE_KERNEL(paramHandle);
    if (paramSize == 0) return kernels::refuse_zero("paramSize");
    aclError code = 0;
    ArgumentList* list = kernels::find_list(argsHandle, code);
    return list == nullptr ? code : kernels::append(*list, param, paramSize, *paramHandle);
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle* paramHandle) {
    ACLREF_ENTER(aclrtKernelArgsAppendPlaceHolder);
    ACLREF_REQUIRE_KERNEL(argsHandle);
    ACLREF_REQUIRE_KERNEL(paramHandle);
    aclError code = 0;
    ArgumentList* list = kernels::find_list(argsHandle, code);
    return list == nullptr ? code : kernels::append_placeholder(*list, *paramHandle);
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize,
                                             void** bufferAddr) {
    ACLREF_ENTER(aclrtKernelArgsGetPlaceHolderBuffer);
    ACLREF_REQUIRE_KERNEL(argsHandle);
    ACLREF_REQUIRE_KERNEL(paramHandle);
    ACLREF_REQUIRE_KERNEL(bufferAddr);
    if (dataSize == 0) return kernels::refuse_zero("dataSize");
    aclError code = 0;
    ArgumentList* list = kernels::find_list(argsHandle, code);
    kernels::ListedParameter* parameter = list ? kernels::find_parameter(*list, paramHandle, code) : nullptr;
    return parameter == nullptr ? code : kernels::give_memory(*list, *parameter, dataSize, *bufferAddr);
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void* param,
                                   size_t paramSize) {
    ACLREF_ENTER(aclrtKernelArgsParaUpdate);
    ACLREF_REQUIRE_KERNEL(argsHandle);
    ACLREF_REQUIRE_KERNEL(paramHandle);
    ACLREF_REQUIRE_KERNEL(param);
    if (paramSize == 0) return kernels::refuse_zero("paramSize");
    aclError code = 0;
    ArgumentList* list = kernels::find_list(argsHandle, code);
    kernels::ListedParameter* parameter = list ? kernels::find_parameter(*list, paramHandle, code) : nullptr;
    return parameter == nullptr ? code : kernels::update(*list, *parameter, param, paramSize);
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle) {
    ACLREF_ENTER(aclrtKernelArgsFinalize);
    ACLREF_REQUIRE_KERNEL(argsHandle);
    aclError code = 0;
    ArgumentList* list = kernels::find_list(argsHandle, code);
    if (list == nullptr) return code;
    list->complete = 1;
    return 0;
}

}  // extern "C"
