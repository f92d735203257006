// Strided copies.
#include "base/faults/copy.hpp"
#include "copy/copy.hpp"

using namespace aclref;

namespace {

/// As enter(), but for a library that forgets what its form lacks.
aclError enter_form(Function function) {
    aclError code = enter(function);
    return faulty(Fault::memcpy2d_form_ignored) && profile().form == Form::RC ? 0 : code;
}

}  // namespace

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
    if (aclError code = enter_form(Function::aclrtMemcpy2d)) return code;
    return copy_rows_now({dst, dpitch, src, spitch, width, height}, kind, __func__);
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream) {
    if (aclError code = enter_form(Function::aclrtMemcpy2dAsync)) return code;
    return copy_rows_on_stream({dst, dpitch, src, spitch, width, height}, kind, stream, __func__);
}
