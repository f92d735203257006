// A model as its file describes it: what goes in and out, and the small program that it runs. Never changes once read,
// so that loaded models and descriptions share it.
//
// The graph partition and the task partition are protobuf messages; docs/model-format.md lists their fields.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/errors.hpp"
#include "models/envelope.hpp"
#include "tasks/element_types.hpp"

namespace aclref::models {

using Dims = std::vector<std::int64_t>;

/// What an input is for; the control inputs come behind the data of the caller.
enum class Role : std::uint8_t { data, gear, aipp };

struct Bound {
    std::int64_t least = 0;
    std::int64_t most = 0;  ///< -1: none
};

struct Tensor {
    std::string name;
    aclDataType type = ACL_FLOAT;
    aclFormat format = ACL_FORMAT_ND;
    Dims dims;                  ///< -1 where the size is known at execution only
    std::vector<Bound> bounds;  ///< of the dims, dynamic-shape models only
    Role role = Role::data;
    bool has_fixed_dims() const;
};

/// Which setting chooses among the shapes a model was built for.
enum class GearKind : std::uint8_t { none, batch, image_size, dims };

/// Preprocessing of an image input.
struct Aipp {
    std::uint64_t input = 0;    ///< the data input it belongs to
    bool is_dynamic = false;
    std::int32_t format = 0;    ///< aclAippInputFormat
    std::int32_t width = 0;     ///< of the source image
    std::int32_t height = 0;
    std::uint64_t batch = 1;
};

/// Weights that lie in a file of their own.
struct ExternalWeight {
    std::string file;
    std::uint64_t offset = 0;  ///< in the weight memory
    std::uint64_t size = 0;
};

/// What the model's tools know of one operator.
struct Operator {
    std::string name;
    std::string original_names;
};

/// A constant in the weights, or an intermediate result in the work memory.
struct Value {
    bool in_weights = false;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    aclDataType type = ACL_FLOAT;
    Dims dims;                  ///< of a constant
};

enum class Op : std::uint8_t { copy = 1, add, mul, matmul, reduce_sum, delay, reject_negative, find_nonzero, cast, gemm };

/// Bits of a gemm's parameter. Its operands are A, B, C, alpha and beta.
inline constexpr std::uint64_t transposed_a = 1;
inline constexpr std::uint64_t transposed_b = 2;

/// Operands count through inputs, outputs and values.
struct Step {
    Op op = Op::copy;
    std::vector<std::uint64_t> operands;
    std::uint64_t result = 0;
    std::uint64_t parameter = 0;  ///< milliseconds of a delay; which matrices of a gemm are stored transposed
};

/// What a single-operator model is called by, besides its inputs and outputs.
struct SingleOperator {
    std::string type;           ///< empty: a model like any other
    std::map<std::string, std::variant<bool, std::int64_t>> attributes;
    std::map<std::uint64_t, std::vector<std::byte>> constants;  ///< inputs whose data were fixed when it was built
    bool watches_memory = false;  ///< compiled so that it can notice accesses outside of its tensors
};

struct Plan {
    std::string name;
    SingleOperator single;
    bool is_dynamic = false;    ///< takes the dynamic-shape route
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    GearKind gear_kind = GearKind::none;
    std::vector<std::vector<std::uint64_t>> gears;
    std::vector<Aipp> aipps;
    std::vector<ExternalWeight> externals;
    std::vector<Operator> operators;
    std::vector<Value> values;
    std::vector<Step> steps;
    std::uint64_t work_bytes = 0;
    std::uint64_t weight_bytes = 0;  ///< of the weight partition and the external weights together
    std::uint64_t graph_bytes = 0;   ///< of the partitions
    std::uint64_t task_bytes = 0;
    std::vector<std::byte> weights;  ///< of the partition; external ones lie behind it

    /// Index of the input that chooses the gear; inputs.size() where there is none.
    std::size_t gear_input() const;
};

/// Whether models here can compute with elements of this type.
bool can_compute(aclDataType type);

/// Bytes of a tensor; 0 where a dim is not known, or the number does not fit.
std::uint64_t tensor_bytes(aclDataType type, const Dims& dims);

/// Largest rank of a tensor that a file may have; descriptions tell of fewer.
inline constexpr std::size_t most_dims = 1024;

/// Reads a plain model's bytes: envelope and messages, with every number checked against the others. 0 or a recorded code.
aclError read_plan(Bytes bytes, Origin origin, std::shared_ptr<const Plan>& out);

}  // namespace aclref::models
