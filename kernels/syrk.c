/* SPDX-License-Identifier: BSD-3-Clause
 * syrk: the symmetric update of a diagonal block's lower triangle, and of the rows below it. */
#include "kernels/dense/product.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"

/* The triangle of the first n rows, and the product below it. */
static double flops(struct call_sizes s)
{
    double m = s.m, n = s.n;
    return n * s.k * (n + 1 + 2 * (m - n));
}

const struct kernel about_syrk = {.name = "syrk",
                                  .count = "n k (n + 1 + 2 (m - n))",
                                  .source = LAWN_41,
                                  .flops = flops,
                                  .bytes = bytes_of_update};

void kernel_syrk(struct execution *x, size_t step, struct tile A, struct tile C)
{
    const struct access accesses[] = {{A.origin, ACCESS_READ}, {C.origin, ACCESS_WRITE}};
    struct call call = {&about_syrk, step, sizes_mnk(C.rows, C.cols, A.cols)};
    if (!execution_enter(x, call, accesses, 2))
        return;
    subtract_symmetric_product(A, C);
    execution_leave(x);
}
