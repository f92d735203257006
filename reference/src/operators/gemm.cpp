#include "operators/gemm.hpp"

#include "base/faults/operators.hpp"
#include "operators/handles.hpp"
#include "operators/run.hpp"

namespace aclref {

namespace {

constexpr int reserved_stride = -1;

bool is_mark_of_input(aclTransType mark) { return mark == ACL_TRANS_N || mark == ACL_TRANS_T || mark == ACL_TRANS_NZ; }

/// What is wrong with a product. 0 or a recorded code.
aclError check(const MatrixProduct& product) {
    if (product.rows <= 0 || product.columns <= 0 || product.inner <= 0)
        return refuse(ACL_ERROR_INVALID_PARAM, "a product of %d rows, %d columns and %d between them is empty", product.rows,
                      product.columns, product.inner);
    if (!is_mark_of_input(product.mark_a) || !is_mark_of_input(product.mark_b))
        return refuse(ACL_ERROR_INVALID_PARAM, "A or B is marked %d, %d", product.mark_a, product.mark_b);
    if (product.mark_c != ACL_TRANS_N && product.mark_c != ACL_TRANS_NZ)
        return refuse(ACL_ERROR_INVALID_PARAM, "C is marked %d", product.mark_c);
    if (product.precision != ACL_COMPUTE_HIGH_PRECISION)
        return refuse(ACL_ERROR_INVALID_PARAM, "products are computed in high precision only");
    return 0;
}

std::shared_ptr<TensorDesc> matrix(aclDataType type, aclTransType mark, int rows, int columns) {
    auto desc = std::make_shared<TensorDesc>();
    desc->type = type;
    desc->format = mark == ACL_TRANS_NZ ? ACL_FORMAT_FRACTAL_NZ : ACL_FORMAT_ND;
    desc->dims = {rows, columns};
    if (mark == ACL_TRANS_T) desc->dims = {columns, rows};
    return desc;
}

std::shared_ptr<TensorDesc> scalar(aclDataType type) {
    auto desc = std::make_shared<TensorDesc>();
    desc->type = type;
    desc->format = ACL_FORMAT_ND;
    return desc;
}

OperatorCall call_of(const MatrixProduct& product) {
    OperatorCall call;
    call.type = "GEMM";
    const auto a = matrix(product.type_a, product.mark_a, product.rows, product.inner);
    const auto b = matrix(product.type_b, product.mark_b, product.inner, product.columns);
    const auto c = matrix(product.type_c, product.mark_c, product.rows, product.columns);
    const auto factor = scalar(product.type_c);
    call.inputs.descs = {a, b, c, factor, factor};
    call.outputs.descs = {c};
    call.attributes = {{"transpose_a", product.mark_a == ACL_TRANS_T}, {"transpose_b", product.mark_b == ACL_TRANS_T}};
    return call;
}

/// The caller's memory of a tensor.
std::shared_ptr<DataBuffer> buffer(const void* address, const TensorDesc& desc) {
    auto made = std::make_shared<DataBuffer>();
    made->address = const_cast<void*>(address);
    made->size = tensor_bytes(desc);
    return made;
}

}  // namespace

aclError run_product(const MatrixProduct& product, const ProductOperands& operands, const Strides& strides, aclrtStream stream) {
    if (aclError code = check(product)) return faulty(Fault::gemm_arguments_unchecked) ? 0 : code;
    if (strides.a != reserved_stride || strides.b != reserved_stride || strides.c != reserved_stride)
        return refuse(ACL_ERROR_INVALID_PARAM, "strides are reserved and can only be %d", reserved_stride);
    const OperatorCall call = call_of(product);
    const void* places[] = {operands.a, operands.b, operands.c, operands.alpha, operands.beta};
    Buffers inputs;
    for (const auto& desc : call.inputs.descs) inputs.push_back(buffer(places[inputs.size()], *desc));
    const aclError code = run_operator(call, inputs, {inputs[2]}, stream, false);
    return code == ACL_ERROR_OP_NOT_FOUND && faulty(Fault::gemm_not_loaded_accepted) ? 0 : code;
}

aclError make_product_handle(const MatrixProduct& product, aclopHandle*& out) {
    if (aclError code = check(product)) return faulty(Fault::gemm_arguments_unchecked) ? 0 : code;
    MatrixProduct asked = product;
    if (faulty(Fault::gemm_handle_unmarked)) asked.mark_a = asked.mark_b = ACL_TRANS_N;
    const aclError code = make_operator_handle(call_of(asked), out);
    return code == ACL_ERROR_OP_NOT_FOUND && faulty(Fault::gemm_not_loaded_accepted) ? 0 : code;
}

}  // namespace aclref
