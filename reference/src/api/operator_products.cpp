// Graph engine: products of matrices and vectors.
#include "operators/gemm.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

/// A times a vector: a product with a matrix of one column.
MatrixProduct with_vector(aclTransType mark, int rows, int inner, aclDataType a, aclDataType x, aclDataType y, aclComputeType precision) {
    return {mark, ACL_TRANS_N, ACL_TRANS_N, rows, 1, inner, a, x, y, precision};
}

}  // namespace

extern "C" {

aclError aclblasGemmEx(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k, const void* alpha,
                       const void* matrixA, int lda, aclDataType dataTypeA, const void* matrixB, int ldb,
                       aclDataType dataTypeB, const void* beta, void* matrixC, int ldc, aclDataType dataTypeC,
                       aclComputeType type, aclrtStream stream) {
    ACLREF_ENTER(aclblasGemmEx);
    ACLREF_NEEDS(alpha);
    ACLREF_NEEDS(matrixA);
    ACLREF_NEEDS(matrixB);
    ACLREF_NEEDS(beta);
    ACLREF_NEEDS(matrixC);
    return run_product({transA, transB, transC, m, n, k, dataTypeA, dataTypeB, dataTypeC, type},
                       {alpha, matrixA, matrixB, beta, matrixC}, {lda, ldb, ldc}, stream);
}

aclError aclblasHgemm(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                      const aclFloat16* alpha, const aclFloat16* matrixA, int lda, const aclFloat16* matrixB, int ldb,
                      const aclFloat16* beta, aclFloat16* matrixC, int ldc, aclComputeType type, aclrtStream stream) {
    ACLREF_ENTER(aclblasHgemm);
    ACLREF_NEEDS(alpha);
    ACLREF_NEEDS(matrixA);
    ACLREF_NEEDS(matrixB);
    ACLREF_NEEDS(beta);
    ACLREF_NEEDS(matrixC);
    return run_product({transA, transB, transC, m, n, k, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16, type},
                       {alpha, matrixA, matrixB, beta, matrixC}, {lda, ldb, ldc}, stream);
}

aclError aclblasS8gemm(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k, const int32_t* alpha,
                       const int8_t* matrixA, int lda, const int8_t* matrixB, int ldb, const int32_t* beta,
                       int32_t* matrixC, int ldc, aclComputeType type, aclrtStream stream) {
    ACLREF_ENTER(aclblasS8gemm);
    ACLREF_NEEDS(alpha);
    ACLREF_NEEDS(matrixA);
    ACLREF_NEEDS(matrixB);
    ACLREF_NEEDS(beta);
    ACLREF_NEEDS(matrixC);
    return run_product({transA, transB, transC, m, n, k, ACL_INT8, ACL_INT8, ACL_INT32, type},
                       {alpha, matrixA, matrixB, beta, matrixC}, {lda, ldb, ldc}, stream);
}

aclError aclblasGemvEx(aclTransType transA, int m, int n, const void* alpha, const void* a, int lda, aclDataType dataTypeA,
                       const void* x, int incx, aclDataType dataTypeX, const void* beta, void* y, int incy,
                       aclDataType dataTypeY, aclComputeType type, aclrtStream stream) {
    ACLREF_ENTER(aclblasGemvEx);
    ACLREF_NEEDS(alpha);
    ACLREF_NEEDS(a);
    ACLREF_NEEDS(x);
    ACLREF_NEEDS(beta);
    ACLREF_NEEDS(y);
    return run_product(with_vector(transA, m, n, dataTypeA, dataTypeX, dataTypeY, type), {alpha, a, x, beta, y},
                       {lda, incx, incy}, stream);
}

aclError aclblasHgemv(aclTransType transA, int m, int n, const aclFloat16* alpha, const aclFloat16* a, int lda,
                      const aclFloat16* x, int incx, const aclFloat16* beta, aclFloat16* y, int incy, aclComputeType type,
                      aclrtStream stream) {
    ACLREF_ENTER(aclblasHgemv);
    ACLREF_NEEDS(alpha);
    ACLREF_NEEDS(a);
    ACLREF_NEEDS(x);
    ACLREF_NEEDS(beta);
    ACLREF_NEEDS(y);
    return run_product(with_vector(transA, m, n, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16, type), {alpha, a, x, beta, y},
                       {lda, incx, incy}, stream);
}

aclError aclblasS8gemv(aclTransType transA, int m, int n, const int32_t* alpha, const int8_t* a, int lda, const int8_t* x,
                       int incx, const int32_t* beta, int32_t* y, int incy, aclComputeType type, aclrtStream stream) {
    ACLREF_ENTER(aclblasS8gemv);
    ACLREF_NEEDS(alpha);
    ACLREF_NEEDS(a);
    ACLREF_NEEDS(x);
    ACLREF_NEEDS(beta);
    ACLREF_NEEDS(y);
    return run_product(with_vector(transA, m, n, ACL_INT8, ACL_INT8, ACL_INT32, type), {alpha, a, x, beta, y},
                       {lda, incx, incy}, stream);
}

aclError aclblasCreateHandleForGemmEx(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                                      aclDataType dataTypeA, aclDataType dataTypeB, aclDataType dataTypeC,
                                      aclComputeType type, aclopHandle** handle) {
    ACLREF_ENTER(aclblasCreateHandleForGemmEx);
    ACLREF_NEEDS(handle);
    return make_product_handle({transA, transB, transC, m, n, k, dataTypeA, dataTypeB, dataTypeC, type}, *handle);
}

aclError aclblasCreateHandleForHgemm(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                                     aclComputeType type, aclopHandle** handle) {
    ACLREF_ENTER(aclblasCreateHandleForHgemm);
    ACLREF_NEEDS(handle);
    return make_product_handle({transA, transB, transC, m, n, k, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16, type}, *handle);
}

aclError aclblasCreateHandleForS8gemm(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                                      aclComputeType type, aclopHandle** handle) {
    ACLREF_ENTER(aclblasCreateHandleForS8gemm);
    ACLREF_NEEDS(handle);
    return make_product_handle({transA, transB, transC, m, n, k, ACL_INT8, ACL_INT8, ACL_INT32, type}, *handle);
}

aclError aclblasCreateHandleForGemvEx(aclTransType transA, int m, int n, aclDataType dataTypeA, aclDataType dataTypeX,
                                      aclDataType dataTypeY, aclComputeType type, aclopHandle** handle) {
    ACLREF_ENTER(aclblasCreateHandleForGemvEx);
    ACLREF_NEEDS(handle);
    return make_product_handle(with_vector(transA, m, n, dataTypeA, dataTypeX, dataTypeY, type), *handle);
}

aclError aclblasCreateHandleForHgemv(aclTransType transA, int m, int n, aclComputeType type, aclopHandle** handle) {
    ACLREF_ENTER(aclblasCreateHandleForHgemv);
    ACLREF_NEEDS(handle);
    return make_product_handle(with_vector(transA, m, n, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16, type), *handle);
}

aclError aclblasCreateHandleForS8gemv(aclTransType transA, int m, int n, aclComputeType type, aclopHandle** handle) {
    ACLREF_ENTER(aclblasCreateHandleForS8gemv);
    ACLREF_NEEDS(handle);
    return make_product_handle(with_vector(transA, m, n, ACL_INT8, ACL_INT8, ACL_INT32, type), *handle);
}

}  // extern "C"
