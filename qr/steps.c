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

static struct tile
A(const struct problem *p, size_t m, size_t k) {
    return tile_at(p->A, m, k);
}

static size_t
first_column(const struct problem *p, size_t k)
{
    return k * p->A->nb;
}

void qr_geqrt(struct problem *p, size_t k, size_t m)
{
    kernel_geqrt(p->execution, k, first_column(p, k), A(p, m, k), T(p, m, k));
}

void qr_unmqr(struct problem *p, size_t k, size_t m, size_t j)
{
    kernel_unmqr(p->execution, k, TRANSPOSE, A(p, m, k), T(p, m, k), A(p, m, j));
}

void qr_tsqrt(struct problem *p, size_t k, size_t m)
{
    kernel_tsqrt(p->execution, k, first_column(p, k), A(p, k, k), A(p, m, k), T(p, m, k));
}

void qr_tsmqr(struct problem *p, size_t k, size_t m, size_t j)
{
    kernel_tsmqr(p->execution, k, TRANSPOSE, A(p, m, k), T(p, m, k), A(p, k, j), A(p, m, j));
}

void qr_ttqrt(struct problem *p, size_t k, size_t t, size_t m)
{
    kernel_ttqrt(p->execution, k, first_column(p, k), A(p, t, k), A(p, m, k), S(p, m, k));
}

void qr_ttmqr(struct problem *p, size_t k, size_t t, size_t m, size_t j)
{
    kernel_ttmqr(p->execution, k, TRANSPOSE, A(p, m, k), S(p, m, k), A(p, t, j), A(p, m, j));
}

/* The reflectors of step k, in the order of the factorization or backwards. */
static void apply_flat_step(struct problem *p, enum transpose op, size_t k, struct tile_matrix *C)
{
    size_t pairs = p->A->mt - k - 1;
    if (op == TRANSPOSE)
        kernel_unmqr(p->execution, k, op, A(p, k, k), T(p, k, k), tile_at(C, k, 0));
    for (size_t i = 0; i < pairs; i++) {
        size_t m = op == TRANSPOSE ? k + 1 + i : p->A->mt - 1 - i;
        kernel_tsmqr(p->execution, k, op, A(p, m, k), T(p, m, k), tile_at(C, k, 0),
                     tile_at(C, m, 0));
    }
    if (op == NO_TRANSPOSE)
        kernel_unmqr(p->execution, k, op, A(p, k, k), T(p, k, k), tile_at(C, k, 0));
}

static void apply_level(struct problem *p, enum transpose op, size_t k, size_t distance,
                        struct tile_matrix *C)
{
    for (size_t t = k; t + distance < p->A->mt; t += 2 * distance) {
        size_t m = t + distance;
        kernel_ttmqr(p->execution, k, op, A(p, m, k), S(p, m, k), tile_at(C, t, 0),
                     tile_at(C, m, 0));
    }
}

static void apply_leaves(struct problem *p, enum transpose op, size_t k, struct tile_matrix *C)
{
    for (size_t m = k; m < p->A->mt; m++)
        kernel_unmqr(p->execution, k, op, A(p, m, k), T(p, m, k), tile_at(C, m, 0));
}

static void apply_tree_step(struct problem *p, enum transpose op, size_t k, struct tile_matrix *C)
{
    size_t rows = p->A->mt - k;
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

void qr_apply(struct problem *p, bool transpose, struct tile_matrix *C)
{
    const struct qr_factors *f = p->factors;
    enum transpose op = transpose ? TRANSPOSE : NO_TRANSPOSE;
    size_t steps = qr_steps(p);
    for (size_t i = 0; i < steps; i++) {
        size_t k = transpose ? i : steps - 1 - i;
        if (f->tree)
            apply_tree_step(p, op, k, C);
        else
            apply_flat_step(p, op, k, C);
    }
}
