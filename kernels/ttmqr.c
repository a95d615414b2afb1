/* SPDX-License-Identifier: BSD-3-Clause
 * ttmqr: Q of a triangle on top of another, as ttqrt stores it, times a pair of tiles, by LAPACK's dtpmqrt. */
#include <lapacke.h>
#include <stdlib.h>

#include "common/base/sizes.h"
#include "kernels/flops.h"
#include "kernels/qr_blocks.h"

static double flops(struct call_sizes s)
{
    double m = s.m, k = s.k, ib = (double)smaller(s.ib, s.k);
    return s.n * (4 * m * (k - m / 2) + ib * k);
}

const struct kernel about_ttmqr = {.name = "ttmqr",
                                   .count = "n (4 m (k - m/2) + min(ib, k) k)",
                                   .source = TREE_QR,
                                   .flops = flops,
                                   .bytes = bytes_of_product};

void kernel_ttmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C1, struct tile C2)
{
    const struct access accesses[] = {{V.origin, ACCESS_READ},
                                      {T.origin, ACCESS_READ},
                                      {C1.origin, ACCESS_WRITE},
                                      {C2.origin, ACCESS_WRITE}};
    struct tile part = tile_part(C2, 0, smaller(V.rows, V.cols));
    if (!execution_enter(x, qr_call(&about_ttmqr, step, part, V.cols, T), accesses, 4))
        return;
    int rows = (int)smaller(V.rows, V.cols);
    int ib = (int)smaller(T.rows, V.cols); /* LAPACK requires 1 <= ib <= V.cols */
    int info =
        LAPACKE_dtpmqrt_work(LAPACK_COL_MAJOR, 'L', op == TRANSPOSE ? 'T' : 'N', rows, (int)C2.cols,
                             (int)V.cols, rows, ib, V.a, (int)V.ld, T.a, (int)T.ld, C1.a,
                             (int)C1.ld, C2.a, (int)C2.ld, execution_worker(x)->workspace);
    if (info != 0) /* an argument of ours is wrong */
        abort();
    execution_leave(x);
}
