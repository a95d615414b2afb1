/* SPDX-License-Identifier: BSD-3-Clause
 * QR `tree`: every tile of a column is factored by itself, then the triangles are reduced in pairs
 * along a binary tree of TT kernels (Hadri, Ltaief, Agullo, Dongarra, "Tile QR factorization with
 * parallel panel processing for multicore architectures", IPDPS 2010). A pair is a tile of row t and
 * one of row m below it. A(m,k) holds the reflectors of its leaf below the diagonal, and from the
 * diagonal up those of its pair: Q(m,k) is in A(m,k) and T(m,k), Q(t,m,k) in A(m,k) and S(m,k). */
#include "qr/qr.h"

static void submit_leaves(struct problem *p, size_t k)
{
    for (size_t m = tile_top(p->A, k); m < p->A->mt; m++) {
        double *Amk = tile_address(p->A, m, k);
        double *Tmk = qr_T(p, m, k);
        /* A(m,k), T(m,k) := qr(A(m,k)) */
#pragma omp task firstprivate(p, k, m) \
    depend(inout : Amk[0], Tmk[0]) \
    priority(PRIORITY_PANEL) /* the pairs and updates of the row wait for it */
        qr_geqrt(p, k, m);

        for (size_t n = k + 1; n < p->A->nt; n++) {
            double *Amn = tile_address(p->A, m, n);
            /* A(m,n) := Q(m,k)ᵀ A(m,n) */
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Tmk[0]) \
    depend(inout : Amn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 0) /* the next panel waits for it */
            qr_unmqr(p, k, m, n);
        }
    }
}

static void submit_pair(struct problem *p, size_t k, size_t t, size_t m)
{
    double *Atk = tile_address(p->A, t, k);
    double *Amk = tile_address(p->A, m, k);
    double *Smk = qr_S(p, m, k);
    /* [A(t,k); A(m,k)], S(m,k) := qr([R(t,k); R(m,k)]) */
#pragma omp task firstprivate(p, k, t, m) \
    depend(inout : Atk[0], Amk[0], Smk[0]) \
    priority(PRIORITY_PANEL) /* the next level of pairs waits for it */
    qr_ttqrt(p, k, t, m);

    for (size_t n = k + 1; n < p->A->nt; n++) {
        double *Atn = tile_address(p->A, t, n);
        double *Amn = tile_address(p->A, m, n);
        /* [A(t,n); A(m,n)] := Q(t,m,k)ᵀ [A(t,n); A(m,n)] */
#pragma omp task firstprivate(p, k, t, m, n) \
    depend(in : Amk[0], Smk[0]) \
    depend(inout : Atn[0], Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
        qr_ttmqr(p, k, t, m, n);
    }
}

void qr_tree(struct problem *p)
{
    qr_use_tree(p, true);
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t top = tile_top(p->A, k);
        submit_leaves(p, k);
        for (size_t distance = 1; distance < p->A->mt - top; distance *= 2)
            for (size_t t = top; t + distance < p->A->mt; t += 2 * distance)
                submit_pair(p, k, t, t + distance);
    }
}
