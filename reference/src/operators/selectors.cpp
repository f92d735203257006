#include "operators/selectors.hpp"

#include <map>
#include <memory>
#include <thread>

#include "base/faults/services.hpp"
#include "base/live_objects.hpp"
#include "operators/kernels.hpp"

namespace aclref {

namespace {

std::mutex mutex;

std::map<std::string, aclopCompileFunc>& selectors() {
    static auto* all = new std::map<std::string, aclopCompileFunc>;
    return *all;
}

const LiveCounter live{"selectors", [] {
                           std::lock_guard lock(mutex);
                           return static_cast<std::uint64_t>(selectors().size());
                       }};

/// Null where there is none.
aclopCompileFunc find_selector(const std::string& type) {
    std::lock_guard lock(mutex);
    auto found = selectors().find(type);
    if (found == selectors().end() && faulty(Fault::selectors_one_for_all)) found = selectors().begin();
    return found == selectors().end() ? nullptr : found->second;
}

aclError call_selector(aclopCompileFunc select, const OperatorTensors& given, aclopKernelDesc* choice) {
    const bool turned = faulty(Fault::selector_descriptions_turned);
    const auto& first = (turned ? given.outputs : given.inputs).handles;
    const auto& second = (turned ? given.inputs : given.outputs).handles;
    const aclopAttr* attributes = faulty(Fault::selector_attributes_lost) ? nullptr : given.attributes;
    return select(static_cast<int>(first.size()), first.data(), static_cast<int>(second.size()), second.data(), attributes,
                  choice);
}

/// The selector may call anything of ours: nothing is locked.
aclError ask_selector(aclopCompileFunc select, const OperatorTensors& given, aclopKernelDesc* choice) {
    aclError code = 0;
    if (faulty(Fault::selector_called_twice)) (void)call_selector(select, given, choice);
    if (faulty(Fault::selector_called_elsewhere)) std::thread([&] { code = call_selector(select, given, choice); }).join();
    else code = call_selector(select, given, choice);
    set_current_function(Function::aclopUpdateParams);
    if (code == 0 || faulty(Fault::selector_error_hidden)) return 0;
    return refuse(faulty(Fault::selector_error_replaced) ? ACL_ERROR_FAILURE : code, "the selector of %s failed", given.type.c_str());
}

}  // namespace

HandleTable<KernelChoice>& kernel_choices() {
    static auto* table = new HandleTable<KernelChoice>;
    return *table;
}

aclError add_selector(const std::string& type, aclopCompileFunc select) {
    std::lock_guard lock(mutex);
    if (selectors().contains(type) && !faulty(Fault::selectors_replaced))
        return refuse(ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED, "%s has a selector already", type.c_str());
    selectors()[type] = select;
    return 0;
}

aclError remove_selector(const std::string& type) {
    if (faulty(Fault::selectors_never_removed)) return 0;
    std::lock_guard lock(mutex);
    const bool removed = selectors().erase(type) > 0;
    if (!removed && faulty(Fault::selector_unknown_refused))
        return refuse(ACL_ERROR_INVALID_PARAM, "%s has no selector", type.c_str());
    return 0;
}

aclError choose_kernel(const OperatorTensors& given) {
    aclopCompileFunc select = find_selector(given.type);
    if (!select) {
        if (faulty(Fault::selector_not_needed)) return 0;
        return refuse(ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED, "%s has no selector", given.type.c_str());
    }
    auto choice = std::make_shared<KernelChoice>();
    auto* handle = static_cast<aclopKernelDesc*>(kernel_choices().add(choice));
    const aclError code = ask_selector(select, given, handle);
    (void)kernel_choices().remove(handle);
    if (code != 0) return code;
    std::lock_guard lock(choice->mutex);
    if (choice->workspaces.empty() && faulty(Fault::kernel_workspaces_needed))
        return refuse(ACL_ERROR_INVALID_PARAM, "no workspace sizes are set");
    if (!find_operator_kernel(given.type, choice->kernel) && !faulty(Fault::selector_may_name_anything))
        return refuse(ACL_ERROR_KERNEL_NOT_FOUND, "%s has no kernel '%s'", given.type.c_str(), choice->kernel.c_str());
    return 0;
}

void forget_selectors() {
    std::lock_guard lock(mutex);
    selectors().clear();
}

}  // namespace aclref
