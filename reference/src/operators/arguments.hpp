// The tensors of an operator as a caller names them: arrays of handles, read and looked up.
#pragma once

#include <memory>
#include <vector>

#include "models/data_buffer.hpp"
#include "models/tensor_desc.hpp"

namespace aclref {

using Descs = std::vector<std::shared_ptr<TensorDesc>>;
using Buffers = std::vector<std::shared_ptr<DataBuffer>>;

/// Descriptions of an operator's inputs or outputs, under the caller's handles.
struct DescribedTensors {
    std::vector<const aclTensorDesc*> handles;
    Descs descs;
};

/// Reads `count` descriptions; no array is needed for none. 0 or a recorded code, which names the array `what`.
aclError read_descriptions(int count, const aclTensorDesc* const* array, const char* what, DescribedTensors& out);

/// Reads `count` data buffers. 0 or a recorded code, which names the array `what`.
aclError read_buffers(int count, const aclDataBuffer* const* array, const char* what, Buffers& out);

}  // namespace aclref
