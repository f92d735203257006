#include "runtime/visible_devices.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/faults/runtime.hpp"

namespace aclref {

std::vector<int> read_visible_devices(int devices) {
    std::vector<int> out;
    const char* list = std::getenv("ASCEND_RT_VISIBLE_DEVICES");
    if (!list) {
        for (int id = 0; id < devices; ++id) out.push_back(id);
        return out;
    }
    std::string_view rest = list;
    while (!rest.empty()) {
        int id = 0;
        auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), id);
        bool known = error == std::errc() && id >= 0 && id < devices && std::find(out.begin(), out.end(), id) == out.end();
        if (!known && !(faulty(Fault::visible_list_unchecked) && error == std::errc())) break;
        out.push_back(id);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        if (rest.empty() || rest[0] != ',') break;
        rest.remove_prefix(1);
    }
    if (faulty(Fault::visible_list_sorted)) std::sort(out.begin(), out.end());
    return out;
}

}  // namespace aclref
