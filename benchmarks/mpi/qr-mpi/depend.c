/* SPDX-License-Identifier: BSD-3-Clause
 * The tasks of one rank: those of qr/depend.c whose tile in row m lives here. A(m,k) and T(m,k) together hold Q(m,k), and
 * go to the ranks that apply it. Row k of tiles visits the rows below it, one after another, and with it the ranks on
 * which they live: the flat tree writes these tiles in that order, so the bits are those of one process. */
#include "benchmarks/mpi/exchange.h"
#include "benchmarks/mpi/qr-mpi/qr_mpi.h"
#include "common/base/sizes.h"
#include "qr/qr.h"

/* A(k,k), T(k,k) := qr(A(k,k)) */
static void panel(struct problem *p, size_t k)
{
    double *Akk = tile_address(p->A, k, k);
    double *Tkk = qr_T(p, k, k);
#pragma omp task firstprivate(p, k) \
    depend(inout : Akk[0], Tkk[0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
    qr_geqrt(p, k, k);
}

/* A(k,n) := Q(k,k)ᵀ A(k,n) */
static void apply_panel(struct problem *p, size_t k, size_t n)
{
    double *Akk = tile_address(p->A, k, k);
    double *Tkk = qr_T(p, k, k);
    double *Akn = tile_address(p->A, k, n);
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0], Tkk[0]) \
    depend(inout : Akn[0]) \
    priority(PRIORITY_SOLVE) /* the column's updates wait for it */
    qr_unmqr(p, k, k, n);
}

/* [A(k,k); A(m,k)], T(m,k) := qr([R(k,k); A(m,k)]) */
static void reduce(struct problem *p, size_t k, size_t m)
{
    double *Akk = tile_address(p->A, k, k);
    double *Amk = tile_address(p->A, m, k);
    double *Tmk = qr_T(p, m, k);
#pragma omp task firstprivate(p, k, m) \
    depend(inout : Akk[0], Amk[0], Tmk[0]) \
    priority(PRIORITY_PANEL) /* all below it in the panel wait for it */
    qr_tsqrt(p, k, m);
}

/* [A(k,n); A(m,n)] := Q(m,k)ᵀ [A(k,n); A(m,n)] */
static void apply(struct problem *p, size_t k, size_t m, size_t n)
{
    double *Amk = tile_address(p->A, m, k);
    double *Tmk = qr_T(p, m, k);
    double *Akn = tile_address(p->A, k, n);
    double *Amn = tile_address(p->A, m, n);
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Tmk[0]) \
    depend(inout : Akn[0], Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
    qr_tsmqr(p, k, m, n);
}

static void share_reflectors(struct problem *p, size_t m, size_t k)
{
    exchange_share(p, m, k);
    exchange_share_companion(p, m, k);
}

/* Rows first … last - 1 live on one rank of each column of ranks. */
static void visit(struct problem *p, size_t k, size_t first, size_t last)
{
    size_t nt = p->A->nt, columns = world()->columns;
    exchange_move_row(p, k, k, first - 1, first);
    exchange_complete(p);
    for (size_t m = first; m < last; m++) {
        if (is_here(m, k))
            reduce(p, k, m);
        share_reflectors(p, m, k);
    }
    exchange_complete(p);
    for (size_t m = first; m < last && is_row_here(m); m++)
        for (size_t n = first_column_here(k + 1); n < nt; n += columns)
            apply(p, k, m, n);
}

/* Reductions write R(k,k) beside the reflectors of A(k,k), which go out before them. With several rows of ranks R(k,k) first
 * goes to another one, and what it comes back in waits for that. */
void qr_mpi_tasks(struct problem *p)
{
    size_t nt = p->A->nt, rows = world()->rows, columns = world()->columns;
    for (size_t k = 0; k < nt; k++) {
        if (is_here(k, k))
            panel(p, k);
        share_reflectors(p, k, k);
        exchange_complete(p);
        for (size_t n = first_column_here(k + 1); n < nt && is_row_here(k); n += columns)
            apply_panel(p, k, n);

        if (rows == 1)
            exchange_settle(p);
        size_t together = rows == 1 ? nt : 1;
        for (size_t m = k + 1; m < nt; m += together)
            visit(p, k, m, smaller(nt, m + together));
        exchange_move_row(p, k, k, nt - 1, k);
    }
}
