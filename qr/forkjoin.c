/* SPDX-License-Identifier: BSD-3-Clause
 * QR `forkjoin`: flat tree, independent tasks between taskwaits, no dependences. */
#include "qr/qr.h"

void qr_forkjoin(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    qr_use_domains(p, 1);
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t top = tile_top(p->A, k);
        /* A(k,k), T(k,k) := qr(A(k,k)) */
        qr_geqrt(p, k, top);
        for (size_t n = k + 1; n < nt; n++) {
            /* A(k,n) := Q(k,k)ᵀ A(k,n) */
#pragma omp task firstprivate(p, k, top, n)
            qr_unmqr(p, k, top, n);
        }
        if (k + 1 < nt)
            execution_note_submitted(p->execution);
#pragma omp taskwait
        for (size_t m = tile_below(p->A, k); m < mt; m++) {
            /* [A(k,k); A(m,k)], T(m,k) := qr([R(k,k); A(m,k)]) */
            qr_tsqrt(p, k, m);
            for (size_t n = k + 1; n < nt; n++) {
                /* [A(k,n); A(m,n)] := Q(m,k)ᵀ [A(k,n); A(m,n)] */
#pragma omp task firstprivate(p, k, m, n)
                qr_tsmqr(p, k, m, n);
            }
            if (k + 1 < nt)
                execution_note_submitted(p->execution);
#pragma omp taskwait
        }
    }
}
