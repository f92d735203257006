// Graph engine: repair of collective communication, of which the reference device has none.
#include "runtime/runtime.hpp"

using namespace aclref;

extern "C" aclError aclRecoverAllHcclTasks(int32_t deviceId) {
    ACLREF_ENTER(aclRecoverAllHcclTasks);
    aclError code = 0;
    return require_device(deviceId, code) ? 0 : code;
}
