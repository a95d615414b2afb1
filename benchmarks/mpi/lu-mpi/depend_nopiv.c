/* SPDX-License-Identifier: BSD-3-Clause
 * Without pivoting: the tasks of lu/nopiv.c that write a tile that lives here. Between them, tiles are shared with the
 * ranks that read them. */
#include "benchmarks/mpi/exchange.h"
#include "benchmarks/mpi/lu-mpi/lu_mpi.h"
#include "lu/lu.h"

/* A(k,k) := lu(A(k,k)) */
static void panel(struct problem *p, size_t k)
{
    double *Akk = tile_address(p->A, k, k);
#pragma omp task firstprivate(p, k) \
    depend(inout : Akk[0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
    lu_getrf_nopiv(p, k);
}

/* A(k,n) := L(k,k)⁻¹ A(k,n) */
static void solve_row(struct problem *p, size_t k, size_t n)
{
    double *Akk = tile_address(p->A, k, k);
    double *Akn = tile_address(p->A, k, n);
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \
    priority(PRIORITY_SOLVE) /* the updates, here and on other ranks, wait for it */
    lu_trsm(p, k, n);
}

/* A(m,k) := A(m,k) U(k,k)⁻¹ */
static void solve_column(struct problem *p, size_t k, size_t m)
{
    double *Akk = tile_address(p->A, k, k);
    double *Amk = tile_address(p->A, m, k);
#pragma omp task firstprivate(p, k, m) \
    depend(in : Akk[0]) \
    depend(inout : Amk[0]) \
    priority(PRIORITY_SOLVE) /* the updates, here and on other ranks, wait for it */
    lu_trsm_right(p, k, m);
}

/* A(m,n) -= A(m,k) A(k,n) */
static void update(struct problem *p, size_t k, size_t m, size_t n)
{
    double *Amk = tile_address(p->A, m, k);
    double *Akn = tile_address(p->A, k, n);
    double *Amn = tile_address(p->A, m, n);
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Akn[0]) \
    depend(inout : Amn[0]) \
    priority(m == k + 1 || n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel and solves wait */
    lu_gemm(p, k, m, n);
}

void lu_mpi_nopiv_tasks(struct problem *p)
{
    size_t nt = p->A->nt, rows = world()->rows, columns = world()->columns;
    for (size_t k = 0; k < nt; k++) {
        if (is_here(k, k))
            panel(p, k);
        exchange_share(p, k, k);
        exchange_complete(p);

        for (size_t i = k + 1; i < nt; i++) {
            if (is_here(k, i))
                solve_row(p, k, i);
            if (is_here(i, k))
                solve_column(p, k, i);
        }
        for (size_t i = k + 1; i < nt; i++) {
            exchange_share(p, k, i);
            exchange_share(p, i, k);
        }
        exchange_complete(p);

        for (size_t m = first_row_here(k + 1); m < nt; m += rows)
            for (size_t n = first_column_here(k + 1); n < nt; n += columns)
                update(p, k, m, n);
    }
}
