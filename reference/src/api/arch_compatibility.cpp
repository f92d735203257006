// Whether what was built for one SoC runs on this one.
#include <algorithm>
#include <string_view>

#include "base/faults/copy.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

aclError aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible) {
    ACLREF_ENTER(aclrtCheckArchCompatibility);
    if (socVersion == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: socVersion is null", __func__);
    if (canCompatible == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: canCompatible is null", __func__);
    std::string_view asked = socVersion;
    if (asked.empty() && !faulty(Fault::arch_empty_name_accepted))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: socVersion is empty", __func__);
    // SoCs of one product run the same code; an unknown name runs nowhere.
    bool compatible = std::any_of(soc_facts.begin(), soc_facts.end(), [asked](const SocFacts& facts) {
        return facts.product == profile().product && asked == facts.name;
    });
    compatible = compatible || asked == profile().soc_name;
    *canCompatible = compatible && !faulty(Fault::arch_own_soc_refused) ? 1 : 0;
    return 0;
}
