/* SPDX-License-Identifier: BSD-3-Clause
 * QR `tree`: the rows of tiles are dealt to domains in turn (as in Dongarra et al., "Hierarchical QR factorization
 * algorithms for multi-core clusters", Parallel Computing 39(4-5), 2013), each of which is reduced to its head, its topmost row, by a flat
 * tree of TS kernels. Then the triangles of the heads are reduced in pairs along a binary tree of TT kernels. Unless the
 * number of domains is given, each row is a domain (Hadri, Ltaief, Agullo, Dongarra, "Tile QR factorization with parallel
 * panel processing for multicore architectures", IPDPS 2010).
 * A pair is a tile of row t and one of row m below it. A(m,k) of a head holds the reflectors of its tile below the
 * diagonal, and from the diagonal up those of its pair: Q(m,k) is in A(m,k) and T(m,k), Q(t,m,k) in A(m,k) and S(m,k). */
#include "qr/qr.h"

static void submit_head(struct problem *p, size_t k, size_t h)
{
    double *Ahk = tile_address(p->A, h, k);
    double *Thk = qr_T(p, h, k);
    /* A(h,k), T(h,k) := qr(A(h,k)) */
#pragma omp task firstprivate(p, k, h) \
    depend(inout : Ahk[0], Thk[0]) \
    priority(PRIORITY_PANEL) /* the domain, the pairs and updates of the row wait for it */
    qr_geqrt(p, k, h);

    for (size_t n = k + 1; n < p->A->nt; n++) {
        double *Ahn = tile_address(p->A, h, n);
        /* A(h,n) := Q(h,k)ᵀ A(h,n) */
#pragma omp task firstprivate(p, k, h, n) \
    depend(in : Ahk[0], Thk[0]) \
    depend(inout : Ahn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 0) /* the next panel waits for it */
        qr_unmqr(p, k, h, n);
    }
}

static void submit_row_of_domain(struct problem *p, size_t k, size_t m)
{
    size_t h = qr_head(p, k, m);
    double *Ahk = tile_address(p->A, h, k);
    double *Amk = tile_address(p->A, m, k);
    double *Tmk = qr_T(p, m, k);
    /* [A(h,k); A(m,k)], T(m,k) := qr([R(h,k); A(m,k)]) */
#pragma omp task firstprivate(p, k, m) \
    depend(inout : Ahk[0], Amk[0], Tmk[0]) \
    priority(PRIORITY_PANEL) /* all below it in the domain, and the pairs, wait for it */
    qr_tsqrt(p, k, m);

    for (size_t n = k + 1; n < p->A->nt; n++) {
        double *Ahn = tile_address(p->A, h, n);
        double *Amn = tile_address(p->A, m, n);
        /* [A(h,n); A(m,n)] := Q(m,k)ᵀ [A(h,n); A(m,n)] */
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Tmk[0]) \
    depend(inout : Ahn[0], Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
        qr_tsmqr(p, k, m, n);
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
    qr_use_domains(p, p->parameters[QR_DOMAINS]);
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t top = tile_top(p->A, k), end = top + qr_heads(p, k);
        for (size_t h = top; h < end; h++)
            submit_head(p, k, h);
        for (size_t m = end; m < p->A->mt; m++)
            submit_row_of_domain(p, k, m);
        for (size_t distance = 1; top + distance < end; distance *= 2)
            for (size_t t = top; t + distance < end; t += 2 * distance)
                submit_pair(p, k, t, t + distance);
    }
}
