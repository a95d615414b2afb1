/* SPDX-License-Identifier: BSD-3-Clause
 * QR `tree`: every tile of a column is factored by itself, then the triangles are reduced in pairs
 * along a binary tree of TT kernels (Hadri, Ltaief, Agullo, Dongarra, "Tile QR factorization with
 * parallel panel processing for multicore architectures", IPDPS 2010). The factors T and S of A(m,k)
 * are written where A(m,k) is, and read where A(m,k) is read: one name stands for all. */
#include "qr/qr.h"

static void submit_leaves(struct problem *p, size_t k)
{
    for (size_t m = tile_top(p->A, k); m < p->A->mt; m++) {
        double *Amk = tile_address(p->A, m, k);
#pragma omp task firstprivate(p, k, m) \
    depend(inout : Amk[0]) \
    priority(PRIORITY_PANEL)
        qr_geqrt(p, k, m);

        for (size_t j = k + 1; j < p->A->nt; j++) {
            double *Amj = tile_address(p->A, m, j);
#pragma omp task firstprivate(p, k, m, j) \
    depend(in : Amk[0]) \
    depend(inout : Amj[0]) \
    priority(j == k + 1 ? PRIORITY_SOLVE : 0)
            qr_unmqr(p, k, m, j);
        }
    }
}

static void submit_pair(struct problem *p, size_t k, size_t t, size_t m)
{
    double *Atk = tile_address(p->A, t, k);
    double *Amk = tile_address(p->A, m, k);
#pragma omp task firstprivate(p, k, t, m) \
    depend(inout : Atk[0], Amk[0]) \
    priority(PRIORITY_PANEL)
    qr_ttqrt(p, k, t, m);

    for (size_t j = k + 1; j < p->A->nt; j++) {
        double *Atj = tile_address(p->A, t, j);
        double *Amj = tile_address(p->A, m, j);
#pragma omp task firstprivate(p, k, t, m, j) \
    depend(in : Amk[0]) \
    depend(inout : Atj[0], Amj[0]) \
    priority(j == k + 1 ? PRIORITY_NEXT : 0)
        qr_ttmqr(p, k, t, m, j);
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
