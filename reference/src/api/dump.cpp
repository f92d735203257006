// Chapter 18: data dump.
#include "services/dump.hpp"

#include <unistd.h>

#include <cstring>
#include <string_view>

#include "services/require.hpp"

using namespace aclref;

namespace {

/// Stands on whether a program asks for arguments of single operators to be dumped.
constexpr uint32_t argument_bit = ACL_OP_DUMP_OP_AICORE_ARGS;

bool has_parent_segment(std::string_view name) {
    while (!name.empty()) {
        const size_t slash = name.find('/');
        if (name.substr(0, slash) == "..") return true;
        name.remove_prefix(slash == std::string_view::npos ? name.size() : slash + 1);
    }
    return false;
}

/// The folder for exception dumps of the current device; empty, with a recorded refusal, while they are off.
std::string folder_of_exceptions(aclError& code) {
    auto context = Runtime::instance().current_context();
    std::string folder = exception_folder(context ? context->device().id() : 0);
    code = folder.empty() ? refuse(ACL_ERROR_FAILURE, "exception dump is off") : 0;
    return folder;
}

/// Faulty builds only: a refusal of an argument is kept back.
aclError judged(aclError code) { return faulty(Fault::dump_arguments_unchecked) ? 0 : code; }

}  // namespace

aclError aclmdlInitDump() {
    ACLREF_ENTER(aclmdlInitDump);
    return init_dump();
}

aclError aclmdlSetDump(const char* dumpCfgPath) {
    ACLREF_ENTER(aclmdlSetDump);
    return set_dump(dumpCfgPath);
}

aclError aclmdlFinalizeDump() {
    ACLREF_ENTER(aclmdlFinalizeDump);
    return finalize_dump();
}

aclError acldumpRegCallback(int32_t (*const messageCallback)(const acldumpChunk*, int32_t), int32_t flag) {
    ACLREF_ENTER(acldumpRegCallback);
    if (!messageCallback) return judged(refuse(ACL_ERROR_FAILURE, "messageCallback is NULL"));
    if (flag != 0) return judged(refuse(ACL_ERROR_FAILURE, "flag has to be 0"));
    if (faulty(Fault::dump_callback_refused)) return refuse(ACL_ERROR_FAILURE, "no function can be registered");
    set_dump_callback(messageCallback);
    return 0;
}

void acldumpUnregCallback() {
    if (enter(Function::acldumpUnregCallback) != 0) return;
    forget_dump_callback();
}

const char* acldumpGetPath(acldumpType dumpType) {
    if (enter(Function::acldumpGetPath) != 0) return nullptr;
    return dump_path(dumpType);
}

aclError aclopStartDumpArgs(uint32_t dumpType, const char* path) {
    ACLREF_ENTER(aclopStartDumpArgs);
    if (!path) return judged(refuse(ACL_ERROR_FAILURE, "path is NULL"));
    if (!(dumpType & argument_bit)) return judged(refuse(ACL_ERROR_FAILURE, "there is no dump type %u", dumpType));
    if (::access(path, W_OK) != 0) return refuse(ACL_ERROR_FAILURE, "%s is no folder that can be written", path);
    return faulty(Fault::dump_args_refused) ? refuse(ACL_ERROR_FAILURE, "arguments cannot be dumped") : 0;
}

aclError aclopStopDumpArgs(uint32_t dumpType) {
    ACLREF_ENTER(aclopStopDumpArgs);
    if (!(dumpType & argument_bit) && faulty(Fault::dump_stop_type_refused))
        return refuse(ACL_ERROR_FAILURE, "there is no dump type %u", dumpType);
    return 0;
}

aclError acldumpSaveExceptionInfo(const char* fileName, const char*, const acldumpTensorInfo* tensors, size_t tensorCount) {
    ACLREF_ENTER(acldumpSaveExceptionInfo);
    ACLREF_NEEDS(fileName);
    ACLREF_NEEDS(tensors);
    if (*fileName == '\0') return judged(refuse(ACL_ERROR_INVALID_PARAM, "fileName is empty"));
    if (has_parent_segment(fileName)) return judged(refuse(ACL_ERROR_INVALID_PARAM, "fileName leaves the folder"));
    if (tensorCount == 0) return judged(refuse(ACL_ERROR_INVALID_PARAM, "tensorCount is 0"));
    aclError code = 0;
    const std::string folder = folder_of_exceptions(code);
    if (code) return judged(code);
    return judged(save_exception_info(folder, fileName, tensors, tensorCount));
}

aclError acldumpGetExceptionInfoPath(char* path, size_t maxLen) {
    ACLREF_ENTER(acldumpGetExceptionInfoPath);
    ACLREF_NEEDS(path);
    if (maxLen <= 1) return judged(refuse(ACL_ERROR_INVALID_PARAM, "there is room for %zu bytes", maxLen));
    aclError code = 0;
    const std::string folder = folder_of_exceptions(code);
    if (code) return judged(code);
    if (folder.size() + 1 > maxLen)
        return judged(refuse(ACL_ERROR_INVALID_PARAM, "the path takes %zu bytes, there is room for %zu", folder.size() + 1, maxLen));
    std::memcpy(path, folder.c_str(), folder.size() + 1);
    return 0;
}
