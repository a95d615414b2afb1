/* SPDX-License-Identifier: BSD-3-Clause
 * syrk: the symmetric update of a diagonal tile's lower triangle. */
#include <cblas.h>

#include "kernels/kernels.h"

void kernel_syrk(struct execution *x, size_t step, struct tile A, struct tile C)
{
    const struct access accesses[] = {{A.a, ACCESS_READ}, {C.a, ACCESS_WRITE}};
    if (!execution_enter(x, "syrk", step, accesses, 2))
        return;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)C.rows, (int)A.cols, -1.0, A.a,
                (int)A.ld, 1.0, C.a, (int)C.ld);
    execution_leave(x);
}
