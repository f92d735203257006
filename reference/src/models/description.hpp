// Descriptions: what a program may ask about a model, loaded or not.
#pragma once

#include <memory>

#include "acl/acl.h"
#include "base/handle_table.hpp"
#include "models/plan.hpp"

namespace aclref::models {

struct Description {
    std::shared_ptr<const Plan> plan;  ///< null until it is filled
    std::uint32_t model = 0;           ///< id of the loaded model it was filled from; 0: from a file or from memory
};

HandleTable<Description>& descriptions();

/// The live object of a handle; null for NULL and for handles that are not alive.
std::shared_ptr<Description> find_description(const aclmdlDesc* handle);

/// Bytes of an input or output as descriptions tell them; 0 where there is no bound.
std::uint64_t input_bytes(const Plan& plan, std::size_t index);
std::uint64_t output_bytes(const Plan& plan, std::size_t index);

}  // namespace aclref::models
