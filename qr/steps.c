/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels of QR by tile coordinates. */
#include "kernels/kernels.h"
#include "qr/qr.h"

static struct tile T(const struct problem *p, size_t m, size_t k) {
    const struct qr_factors *f = p->factors;
    return tile_at(f->T, m, k);
}

static struct tile
S(const struct problem *p, size_t m, size_t k) {
    const struct qr_factors *f = p->factors;
    return tile_at(f->S, m, k);
}

/* What step k works on of tile (m, n): of its topmost tile the rows from k*nb down, else all. */
static struct tile
A(const struct problem *p, size_t k, size_t m, size_t n) {
    return m == tile_top(p->A, k) ? tile_at_step(p->A, k, n) : tile_at(p->A, m, n);
}

/* The rows of C that belong to it. */
static struct tile
C_rows(const struct problem *p, size_t k, size_t m, struct tile C)
{
    size_t first = m == tile_top(p->A, k) ? k * p->A->nb : m * p->A->mb;
    return tile_part(C, first, A(p, k, m, k).rows);
}

static size_t first_column(const struct problem *p, size_t k)
{
    return k * p->A->nb;
}

void qr_geqrt(struct problem *p, size_t k, size_t m)
{
    kernel_geqrt(p->execution, k, first_column(p, k), A(p, k, m, k), T(p, m, k));
}

void qr_unmqr(struct problem *p, size_t k, size_t m, size_t n)
{
    kernel_unmqr(p->execution, k, TRANSPOSE, A(p, k, m, k), T(p, m, k), A(p, k, m, n));
}

void qr_tsqrt(struct problem *p, size_t k, size_t m)
{
    kernel_tsqrt(p->execution, k, first_column(p, k), A(p, k, tile_top(p->A, k), k), A(p, k, m, k),
                 T(p, m, k));
}

void qr_tsmqr(struct problem *p, size_t k, size_t m, size_t n)
{
    kernel_tsmqr(p->execution, k, TRANSPOSE, A(p, k, m, k), T(p, m, k),
                 A(p, k, tile_top(p->A, k), n), A(p, k, m, n));
}

void qr_ttqrt(struct problem *p, size_t k, size_t t, size_t m)
{
    kernel_ttqrt(p->execution, k, first_column(p, k), A(p, k, t, k), A(p, k, m, k), S(p, m, k));
}

void qr_ttmqr(struct problem *p, size_t k, size_t t, size_t m, size_t n)
{
    kernel_ttmqr(p->execution, k, TRANSPOSE, A(p, k, m, k), S(p, m, k), A(p, k, t, n),
                 A(p, k, m, n));
}

void qr_apply_flat_reflectors(struct problem *p, enum transpose op, size_t k, size_t m,
                              struct tile C)
{
    size_t top = tile_top(p->A, k);
    struct tile Ck = C_rows(p, k, top, C);
    if (m == top)
        kernel_unmqr(p->execution, k, op, A(p, k, top, k), T(p, top, k), Ck);
    else
        kernel_tsmqr(p->execution, k, op, A(p, k, m, k), T(p, m, k), Ck, C_rows(p, k, m, C));
}

/* The reflectors of step k, in the order of the factorization or backwards. */
static void apply_flat_step(struct problem *p, enum transpose op, size_t k, struct tile C)
{
    size_t top = tile_top(p->A, k), rows = p->A->mt - top;
    for (size_t i = 0; i < rows; i++)
        qr_apply_flat_reflectors(p, op, k, op == TRANSPOSE ? top + i : p->A->mt - 1 - i, C);
}

static void apply_level(struct problem *p, enum transpose op, size_t k, size_t distance,
                        struct tile C)
{
    for (size_t t = tile_top(p->A, k); t + distance < p->A->mt; t += 2 * distance) {
        size_t m = t + distance;
        kernel_ttmqr(p->execution, k, op, A(p, k, m, k), S(p, m, k), C_rows(p, k, t, C),
                     C_rows(p, k, m, C));
    }
}

static void apply_leaves(struct problem *p, enum transpose op, size_t k, struct tile C)
{
    for (size_t m = tile_top(p->A, k); m < p->A->mt; m++)
        kernel_unmqr(p->execution, k, op, A(p, k, m, k), T(p, m, k), C_rows(p, k, m, C));
}

static void apply_tree_step(struct problem *p, enum transpose op, size_t k, struct tile C)
{
    size_t rows = p->A->mt - tile_top(p->A, k);
    if (op == TRANSPOSE) {
        apply_leaves(p, op, k, C);
        for (size_t d = 1; d < rows; d *= 2)
            apply_level(p, op, k, d, C);
        return;
    }
    size_t top = 1;
    while (top < rows)
        top *= 2;
    for (size_t d = top / 2; d > 0; d /= 2)
        apply_level(p, op, k, d, C);
    apply_leaves(p, op, k, C);
}

void qr_apply(struct problem *p, enum transpose op, struct tile C)
{
    const struct qr_factors *f = p->factors;
    size_t steps = tile_steps(p->A);
    for (size_t i = 0; i < steps; i++) {
        size_t k = op == TRANSPOSE ? i : steps - 1 - i;
        if (f->tree)
            apply_tree_step(p, op, k, C);
        else
            apply_flat_step(p, op, k, C);
    }
}
