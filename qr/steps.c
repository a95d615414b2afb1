/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels of QR by tile coordinates. */
#include "common/base/sizes.h"
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

size_t qr_heads(const struct problem *p, size_t k)
{
    const struct qr_factors *f = p->factors;
    return smaller(f->domains, p->A->mt - tile_top(p->A, k));
}

size_t qr_head(const struct problem *p, size_t k, size_t m)
{
    size_t top = tile_top(p->A, k);
    return top + (m - top) % qr_heads(p, k);
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
    kernel_tsqrt(p->execution, k, first_column(p, k), A(p, k, qr_head(p, k, m), k), A(p, k, m, k),
                 T(p, m, k));
}

void qr_tsmqr(struct problem *p, size_t k, size_t m, size_t n)
{
    kernel_tsmqr(p->execution, k, TRANSPOSE, A(p, k, m, k), T(p, m, k),
                 A(p, k, qr_head(p, k, m), n), A(p, k, m, n));
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

static bool is_pair_of_heads(const struct problem *p, size_t k, size_t t, size_t m)
{
    return t != m && m - tile_top(p->A, k) < qr_heads(p, k);
}

void qr_apply_reflectors(struct problem *p, enum transpose op, size_t k, size_t t, size_t m,
                         struct tile C)
{
    struct tile Ct = C_rows(p, k, t, C), Cm = C_rows(p, k, m, C);
    if (t == m)
        kernel_unmqr(p->execution, k, op, A(p, k, m, k), T(p, m, k), Cm);
    else if (is_pair_of_heads(p, k, t, m))
        kernel_ttmqr(p->execution, k, op, A(p, k, m, k), S(p, m, k), Ct, Cm);
    else
        kernel_tsmqr(p->execution, k, op, A(p, k, m, k), T(p, m, k), Ct, Cm);
}

/* What to call for the parts of a step. */
struct visitor {
    void (*visit)(void *argument, size_t t, size_t m);
    void *argument;
};

/* Each row with its head. */
static void visit_rows(const struct problem *p, enum transpose op, size_t k, struct visitor v)
{
    size_t top = tile_top(p->A, k), last = p->A->mt - 1;
    for (size_t i = 0; i <= last - top; i++) {
        size_t m = op == TRANSPOSE ? top + i : last - i;
        v.visit(v.argument, qr_head(p, k, m), m);
    }
}

static void visit_level(const struct problem *p, size_t k, size_t distance, struct visitor v)
{
    size_t top = tile_top(p->A, k), end = top + qr_heads(p, k);
    for (size_t t = top; t + distance < end; t += 2 * distance)
        v.visit(v.argument, t, t + distance);
}

static size_t levels(size_t heads)
{
    size_t count = 0;
    while ((size_t)1 << count < heads)
        count++;
    return count;
}

static void visit_levels(const struct problem *p, enum transpose op, size_t k, struct visitor v)
{
    size_t count = levels(qr_heads(p, k));
    for (size_t i = 0; i < count; i++)
        visit_level(p, k, (size_t)1 << (op == TRANSPOSE ? i : count - 1 - i), v);
}

void qr_for_reflectors(const struct problem *p, enum transpose op, size_t k,
                       void (*visit)(void *argument, size_t t, size_t m), void *argument)
{
    struct visitor v = {visit, argument};
    if (op == TRANSPOSE)
        visit_rows(p, op, k, v);
    visit_levels(p, op, k, v);
    if (op == NO_TRANSPOSE)
        visit_rows(p, op, k, v);
}

/* A step whose Q is applied to C. */
struct application {
    struct problem *p;
    enum transpose op;
    size_t k;
    struct tile C;
};

static void apply_part(void *argument, size_t t, size_t m)
{
    struct application *a = argument;
    qr_apply_reflectors(a->p, a->op, a->k, t, m, a->C);
}

void qr_apply(struct problem *p, enum transpose op, struct tile C)
{
    size_t steps = tile_steps(p->A);
    for (size_t i = 0; i < steps; i++) {
        struct application a = {p, op, op == TRANSPOSE ? i : steps - 1 - i, C};
        qr_for_reflectors(p, op, a.k, apply_part, &a);
    }
}
