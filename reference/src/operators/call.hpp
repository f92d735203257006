// What a caller passes to name a loaded operator.
#pragma once

#include <map>
#include <string>

#include "operators/arguments.hpp"
#include "operators/attributes.hpp"

namespace aclref {

/// An operator as the caller describes it.
struct OperatorCall {
    std::string type;
    DescribedTensors inputs;
    DescribedTensors outputs;
    std::map<std::string, AttributeValue> attributes;
};

/// An optional input that the caller leaves out has no type and no data.
bool is_left_out(const TensorDesc& desc);

/// Whether an input lies on the host and is no constant.
bool has_host_input(const OperatorCall& call);

/// Takes the attributes of a set; none for NULL. 0 or a recorded code.
aclError read_attributes(const aclopAttr* given, std::map<std::string, AttributeValue>& out);

}  // namespace aclref
