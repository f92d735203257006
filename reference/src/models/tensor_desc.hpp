// Descriptions of tensors: element type, layout and sizes, and what operators are told about them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "base/errors.hpp"
#include "base/handle_table.hpp"

namespace aclref {

/// Smallest and largest value of something, both included.
using Bounds = std::array<std::int64_t, 2>;

struct TensorDesc {
    aclDataType type = ACL_DT_UNDEFINED;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    std::vector<std::int64_t> dims;  ///< -1: any size; {-2}: any number of dims
    std::string name;

    // What operators are told besides; the getters do not show it.
    std::optional<aclFormat> storage_format;
    std::vector<std::int64_t> storage_dims;
    std::vector<Bounds> dim_bounds;
    std::vector<Bounds> value_bounds;
    std::string dynamic_input;             ///< group of the inputs with this name
    std::vector<std::byte> constant;
    aclMemType placement = ACL_MEMTYPE_DEVICE;

    // The caller's own memory, kept by faults only.
    const std::int64_t* borrowed_dims = nullptr;
    const char* borrowed_name = nullptr;

    void* address = nullptr;               ///< where an executed operator had the tensor
    std::vector<aclTensorDesc*> elements;  ///< of an array: the handles of all its elements, this one's own first
};

HandleTable<TensorDesc>& tensor_descs();

/// Gives the description a handle.
aclTensorDesc* publish_tensor_desc(std::shared_ptr<TensorDesc> desc);

/// Gives each element of an array a handle; the first one's stands for the array. Null for no elements.
aclTensorDesc* publish_tensor_array(std::vector<TensorDesc> elements);

/// The live description of a handle; null for NULL and for handles that are not alive.
std::shared_ptr<TensorDesc> find_tensor_desc(const aclTensorDesc* handle);

/// Takes the handle out of use, with all elements where it is an array.
void destroy_tensor_desc(const aclTensorDesc* handle);

bool has_unknown_rank(const TensorDesc& desc);

/// Product of the dims: 1 without dims, 0 where a dim is not known or the product does not fit.
std::size_t element_count(const TensorDesc& desc);

/// Bytes of the tensor's data; 0 where the count of elements is not known or the size does not fit.
std::size_t tensor_bytes(const TensorDesc& desc);

}  // namespace aclref
