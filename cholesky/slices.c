/* SPDX-License-Identifier: BSD-3-Clause
 * A call has as many slices as its team has threads, so that it takes as few BLAS calls as possible. How BLAS adds up
 * an element depends on the size of its product: the digest depends on the number of slices, and on nothing else of
 * the teams. */
#include "cholesky/slices.h"

#include <math.h>

#include "cholesky/cholesky.h"
#include "common/base/sizes.h"
#include "kernels/dense/product.h"
#include "kernels/dense/triangular_solve.h"
#include "kernels/kernels.h"

/* Doubles in a cache line and in the longest vectors: slices begin at multiples of it. */
enum { LINE = 8 };

/* The first of n rows that belongs to a slice, where a share of them is to be before it. */
static size_t boundary(size_t n, double share)
{
    size_t lines = (size_t)ceil(share * (double)n / (double)LINE);
    return smaller(lines * LINE, n);
}

/* The rows of a slice, all equally many. */
static struct tile rows_of(struct tile t, size_t count, size_t slice)
{
    size_t first = boundary(t.rows, (double)slice / (double)count);
    size_t end = boundary(t.rows, (double)(slice + 1) / (double)count);
    return tile_part(t, first, end - first);
}

/* The first column of a slice of a lower trapezoid, if all have equally many elements: x columns of m rows have
 * m x - x²/2. */
static size_t first_column(struct tile C, size_t count, size_t slice)
{
    double m = (double)C.rows, n = (double)C.cols;
    double elements = (m * n - n * n / 2) * (double)slice / (double)count;
    return slice == count ? C.cols : boundary(C.cols, (m - sqrt(m * m - 2 * elements)) / n);
}

static size_t slices(const struct problem *p)
{
    return p->parameters[CHOLESKY_INNER_THREADS];
}

static void trsm_slice(struct problem *p, size_t k, size_t m, size_t slice)
{
    struct tile B = rows_of(tile_at(p->A, m, k), slices(p), slice);
    if (B.rows > 0)
        solve_right(TRANSPOSE, tile_block(p->A, k, k), B);
}

static void syrk_slice(struct problem *p, size_t k, size_t n, size_t slice)
{
    struct tile A = tile_at_step(p->A, n, k), C = tile_at_step(p->A, n, n);
    size_t first = first_column(C, slices(p), slice), end = first_column(C, slices(p), slice + 1);
    size_t rows = C.rows - first;
    if (end > first)
        subtract_symmetric_product(tile_part(A, first, rows),
                                   tile_submatrix(C, first, first, rows, end - first));
}

static void gemm_slice(struct problem *p, size_t k, size_t m, size_t n, size_t slice)
{
    struct tile C = rows_of(tile_at(p->A, m, n), slices(p), slice);
    if (C.rows > 0)
        subtract_product(rows_of(tile_at(p->A, m, k), slices(p), slice), TRANSPOSE,
                         tile_block(p->A, n, k), C);
}

void cholesky_slice(struct problem *p, struct sliced_call call, size_t slice)
{
    if (slice == 0)
        execution_note_inner_team(p->execution);
    switch (call.kernel) {
    case SLICED_TRSM:
        trsm_slice(p, call.k, call.m, slice);
        break;
    case SLICED_SYRK:
        syrk_slice(p, call.k, call.n, slice);
        break;
    case SLICED_GEMM:
        gemm_slice(p, call.k, call.m, call.n, slice);
        break;
    }
}

void cholesky_sliced_trsm(struct problem *p, size_t k, size_t m)
{
    struct tile L = tile_block(p->A, k, k), B = tile_at(p->A, m, k);
    const struct access accesses[] = {{L.origin, ACCESS_READ}, {B.origin, ACCESS_WRITE}};
    struct call call = {&about_trsm_right_lower, k, sizes_mnk(B.rows, B.cols, B.cols)};
    if (!execution_enter(p->execution, call, accesses, 2))
        return;
    cholesky_run_slices(p, (struct sliced_call){SLICED_TRSM, k, m, k});
    execution_leave(p->execution);
}

void cholesky_sliced_syrk(struct problem *p, size_t k, size_t n)
{
    struct tile A = tile_at_step(p->A, n, k), C = tile_at_step(p->A, n, n);
    const struct access accesses[] = {{A.origin, ACCESS_READ}, {C.origin, ACCESS_WRITE}};
    struct call call = {&about_syrk, k, sizes_mnk(C.rows, C.cols, A.cols)};
    if (!execution_enter(p->execution, call, accesses, 2))
        return;
    cholesky_run_slices(p, (struct sliced_call){SLICED_SYRK, k, n, n});
    execution_leave(p->execution);
}

void cholesky_sliced_gemm(struct problem *p, size_t k, size_t m, size_t n)
{
    struct tile A = tile_at(p->A, m, k), B = tile_block(p->A, n, k), C = tile_at(p->A, m, n);
    const struct access accesses[] = {
        {A.origin, ACCESS_READ}, {B.origin, ACCESS_READ}, {C.origin, ACCESS_WRITE}};
    struct call call = {&about_gemm_transposed, k, sizes_mnk(C.rows, C.cols, A.cols)};
    if (!execution_enter(p->execution, call, accesses, 3))
        return;
    cholesky_run_slices(p, (struct sliced_call){SLICED_GEMM, k, m, n});
    execution_leave(p->execution);
}
