/* SPDX-License-Identifier: BSD-3-Clause
 * gemm: the update of one tile by a product of two others. */
#include "kernels/dense/product.h"
#include "kernels/kernels.h"

void kernel_gemm(struct execution *x, size_t step, enum transpose op, struct tile A, struct tile B,
                 struct tile C)
{
    const struct access accesses[] = {
        {A.origin, ACCESS_READ}, {B.origin, ACCESS_READ}, {C.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "gemm", step, accesses, 3))
        return;
    subtract_product(A, op, B, C);
    execution_leave(x);
}
