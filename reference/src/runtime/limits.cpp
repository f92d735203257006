#include "runtime/limits.hpp"

#include "base/profile.hpp"

namespace aclref {

int max_streams() {
    switch (profile().product) {
        case Product::p950:
        case Product::A3:
        case Product::p910b: return 1984;
        case Product::p310b: return 512;
        case Product::p910: return 2048;
        case Product::p310p:
        case Product::IPV350: break;
    }
    return 1024;
}

int max_events() {
    switch (profile().product) {
        case Product::p310p: return 1023;
        case Product::p910: return 65535;
        default: return 65536;
    }
}

int max_notifies() {
    switch (profile().product) {
        case Product::p950: return 65535;
        case Product::A3:
        case Product::p910b: return 8192;
        case Product::p310b: return 2048;
        default: return 1024;
    }
}

int default_stream_slots() {
    if (profile().product == Product::IPV350) return 0;
    return profile().product == Product::p310p && profile().form == Form::EP ? 2 : 1;
}

std::uint32_t core_count(unsigned type) {
    const SocFacts& soc = profile().soc();
    if (type == 1) return soc.vector_cores;
    bool counts_ai_cores = profile().product == Product::p310p || profile().product == Product::p910;
    return counts_ai_cores ? soc.ai_cores : soc.cube_cores;
}

}  // namespace aclref
