#include "operators/kernels.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "base/faults/services.hpp"

namespace aclref {

namespace {

using Key = std::pair<std::string, std::string>;

std::mutex mutex;

std::map<Key, std::shared_ptr<const OperatorKernel>>& kernels() {
    static auto* all = new std::map<Key, std::shared_ptr<const OperatorKernel>>;
    return *all;
}

}  // namespace

aclError add_operator_kernel(const std::string& type, const std::string& id, OperatorKernel kernel) {
    std::lock_guard lock(mutex);
    auto& place = kernels()[{type, id}];
    if (place && !faulty(Fault::kernels_replaced))
        return refuse(ACL_ERROR_KERNEL_ALREADY_REGISTERED, "%s has a kernel %s already", type.c_str(), id.c_str());
    place = std::make_shared<const OperatorKernel>(std::move(kernel));
    return 0;
}

std::shared_ptr<const OperatorKernel> find_operator_kernel(const std::string& type, const std::string& id) {
    std::lock_guard lock(mutex);
    auto found = kernels().find({type, id});
    return found == kernels().end() || faulty(Fault::kernels_unknown) ? nullptr : found->second;
}

void forget_operator_kernels() {
    std::lock_guard lock(mutex);
    kernels().clear();
}

}  // namespace aclref
