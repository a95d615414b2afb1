/* SPDX-License-Identifier: BSD-3-Clause
 * QR `forkjoin`: flat tree, independent tasks between taskwaits, no dependences. */
#include "qr/qr.h"

void qr_forkjoin(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    qr_use_tree(p, false);
    for (size_t k = 0; k < qr_steps(p); k++) {
        qr_geqrt(p, k, k);
        for (size_t j = k + 1; j < nt; j++) {
#pragma omp task firstprivate(p, k, j)
            qr_unmqr(p, k, k, j);
        }
#pragma omp taskwait
        for (size_t m = k + 1; m < mt; m++) {
            qr_tsqrt(p, k, m);
            for (size_t j = k + 1; j < nt; j++) {
#pragma omp task firstprivate(p, k, m, j)
                qr_tsmqr(p, k, m, j);
            }
#pragma omp taskwait
        }
    }
}
