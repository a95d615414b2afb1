/* SPDX-License-Identifier: BSD-3-Clause
 * syrk: the symmetric update of a diagonal block's lower triangle, and of the rows below it. */
#include "kernels/dense/product.h"
#include "kernels/kernels.h"

void kernel_syrk(struct execution *x, size_t step, struct tile A, struct tile C)
{
    const struct access accesses[] = {{A.origin, ACCESS_READ}, {C.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "syrk", step, accesses, 2))
        return;
    subtract_symmetric_product(A, C);
    execution_leave(x);
}
