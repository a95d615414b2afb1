/* SPDX-License-Identifier: BSD-3-Clause
 * geqrt: QR of one tile. */
#include "common/base/sizes.h"
#include "kernels/flops.h"
#include "kernels/qr_blocks.h"

static double flops(struct call_sizes s)
{
    double k = (double)smaller(s.m, s.n), ib = (double)smaller(s.ib, smaller(s.m, s.n));
    return flops_geqrf(s.m, s.n) + ib * k * (s.m - k / 2);
}

const struct kernel about_geqrt = {
    .name = "geqrt",
    .count = "LAPACK's for QR of m x n, and b k (m - k/2) for T, k = min(m, n), b = min(ib, k)",
    .source = TILED_QR,
    .flops = flops,
    .bytes = bytes_of_matrix};

void kernel_geqrt(struct execution *x, size_t step, size_t first_column, struct tile A,
                  struct tile T)
{
    const struct access accesses[] = {{T.origin, ACCESS_WRITE}, {A.origin, ACCESS_WRITE}};
    if (!execution_enter(x, qr_call(&about_geqrt, step, A, A.cols, T), accesses, 2))
        return;
    size_t k = smaller(A.rows, A.cols);
    qr_blocks_factor(x, (struct qr_panel){A, A, true}, k, T);
    qr_blocks_check(x, first_column, A, k);
    execution_leave(x);
}
