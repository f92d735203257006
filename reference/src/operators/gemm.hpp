// Matrix products: runs of the loaded operator GEMM, which computes C = alpha * A * B + beta * C. A vector is a matrix of
// one column.
#pragma once

#include "acl/ops/acl_cblas.h"
#include "operators/call.hpp"

namespace aclref {

/// What a product is looked up by.
struct MatrixProduct {
    aclTransType mark_a;
    aclTransType mark_b;
    aclTransType mark_c;
    int rows;     ///< of A and C
    int columns;  ///< of B and C
    int inner;    ///< columns of A, rows of B
    aclDataType type_a;
    aclDataType type_b;
    aclDataType type_c;
    aclComputeType precision;
};

/// Where a product's operands lie, on the device.
struct ProductOperands {
    const void* alpha;
    const void* a;
    const void* b;
    const void* beta;
    void* c;
};

/// Distances between the rows of A, B and C; reserved.
struct Strides {
    int a;
    int b;
    int c;
};

/// Runs a product on a stream. 0 or a recorded code.
aclError run_product(const MatrixProduct& product, const ProductOperands& operands, const Strides& strides, aclrtStream stream);

/// A handle of the loaded operator that computes a product. 0 or a recorded code.
aclError make_product_handle(const MatrixProduct& product, aclopHandle*& out);

}  // namespace aclref
