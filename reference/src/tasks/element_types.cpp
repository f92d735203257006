#include "tasks/element_types.hpp"

namespace aclref {

std::size_t element_bytes(aclDataType type) {
    switch (type) {
        case ACL_DT_UNDEFINED:
        case ACL_STRING: return 0;
        case ACL_INT8:
        case ACL_UINT8:
        case ACL_BOOL:
        case ACL_INT4:
        case ACL_UINT1:
        case ACL_HIFLOAT8:
        case ACL_FLOAT8_E5M2:
        case ACL_FLOAT8_E4M3FN:
        case ACL_FLOAT8_E8M0:
        case ACL_FLOAT6_E3M2:
        case ACL_FLOAT6_E2M3:
        case ACL_FLOAT4_E2M1:
        case ACL_FLOAT4_E1M2: return 1;
        case ACL_INT16:
        case ACL_UINT16:
        case ACL_FLOAT16:
        case ACL_BF16: return 2;
        case ACL_INT32:
        case ACL_UINT32:
        case ACL_FLOAT:
        case ACL_COMPLEX32: return 4;
        case ACL_COMPLEX128: return 16;
        default: return 8;
    }
}

}  // namespace aclref
