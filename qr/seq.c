/* SPDX-License-Identifier: BSD-3-Clause
 * QR `seq`: the tile algorithm with a flat tree, without OpenMP. */
#include "qr/qr.h"

void qr_seq(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    qr_use_domains(p, 1);
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t top = tile_top(p->A, k);
        /* A(k,k), T(k,k) := qr(A(k,k)) */
        qr_geqrt(p, k, top);
        for (size_t n = k + 1; n < nt; n++) {
            /* A(k,n) := Q(k,k)ᵀ A(k,n) */
            qr_unmqr(p, k, top, n);
        }
        for (size_t m = tile_below(p->A, k); m < mt; m++) {
            /* [A(k,k); A(m,k)], T(m,k) := qr([R(k,k); A(m,k)]) */
            qr_tsqrt(p, k, m);
            for (size_t n = k + 1; n < nt; n++) {
                /* [A(k,n); A(m,n)] := Q(m,k)ᵀ [A(k,n); A(m,n)] */
                qr_tsmqr(p, k, m, n);
            }
        }
    }
}
