// Descriptions: what a program may ask about a model, loaded or not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "base/handle_table.hpp"
#include "models/plan.hpp"

namespace aclref::models {

struct Description {
    std::shared_ptr<const Plan> plan;  ///< null until it is filled
    std::uint32_t model = 0;           ///< id of the loaded model it was filled from; 0: from a file or from memory

    /// Names as descriptions tell them: too long ones have made-up names in their place.
    std::vector<std::string> input_names;
    std::vector<std::string> output_names;
};

HandleTable<Description>& descriptions();

/// The live object of a handle; null for NULL and for handles that are not alive.
std::shared_ptr<Description> find_description(const aclmdlDesc* handle);

/// The description of a handle, or a recorded ACL_ERROR_INVALID_PARAM in `code`.
std::shared_ptr<Description> require_description(const aclmdlDesc* handle, aclError& code);

/// As require_description, but it has to be filled as well.
std::shared_ptr<Description> require_filled(const aclmdlDesc* handle, aclError& code);

/// Replaces everything a description tells; `model` is 0 where the plan is of no loaded model.
void fill(Description& description, std::shared_ptr<const Plan> plan, std::uint32_t model);

/// Inputs or outputs of a model, and their names.
struct Side {
    const std::vector<Tensor>* tensors = nullptr;
    const std::vector<std::string>* names = nullptr;
    std::size_t size() const { return tensors == nullptr ? 0 : tensors->size(); }
};
Side inputs_of(const Description& description);
Side outputs_of(const Description& description);

/// Bytes of an input or output as descriptions tell them; 0 where there is no bound.
std::uint64_t input_bytes(const Plan& plan, std::size_t index);
std::uint64_t output_bytes(const Plan& plan, std::size_t index);

}  // namespace aclref::models
