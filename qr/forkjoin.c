/* SPDX-License-Identifier: BSD-3-Clause
 * QR `forkjoin`: flat tree, independent tasks between taskwaits, no dependences. */
#include "qr/qr.h"

void qr_forkjoin(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    qr_use_tree(p, false);
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t top = tile_top(p->A, k);
        qr_geqrt(p, k, top);
        for (size_t j = k + 1; j < nt; j++) {
#pragma omp task firstprivate(p, k, top, j)
            qr_unmqr(p, k, top, j);
        }
#pragma omp taskwait
        for (size_t m = top + 1; m < mt; m++) {
            qr_tsqrt(p, k, m);
            for (size_t j = k + 1; j < nt; j++) {
#pragma omp task firstprivate(p, k, m, j)
                qr_tsmqr(p, k, m, j);
            }
#pragma omp taskwait
        }
    }
}
