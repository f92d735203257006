// Attributes of single operators (aclopAttr): values by name.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "acl/acl.h"
#include "base/handle_table.hpp"

namespace aclref {

using AttributeValue =
    std::variant<bool, std::int64_t, float, std::string, aclDataType, std::vector<std::uint8_t>, std::vector<std::int64_t>,
                 std::vector<float>, std::vector<aclDataType>, std::vector<std::string>, std::vector<std::vector<std::int64_t>>>;

struct OperatorAttributes {
    std::mutex mutex;
    std::map<std::string, AttributeValue> values;
};

HandleTable<OperatorAttributes>& operator_attributes();

/// Sets a value; one of the same name goes. 0 or a recorded code.
aclError set_attribute(aclopAttr* handle, const char* name, AttributeValue value);

}  // namespace aclref
