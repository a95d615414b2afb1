/* SPDX-License-Identifier: BSD-3-Clause
 * Every product above the blocks has its own workspace, so that any of them may run at the same time. The
 * recursion within a block's product uses that of the thread, which the products of a level share. */
#include <stdint.h>
#include <stdlib.h>

#include "benchmarks/strassen/strassen.h"
#include "common/base/sizes.h"

/* ---- sizes ---- */

struct recursion recursion_of(const struct problem *p)
{
    struct recursion r = {.form = &forms[p->parameters[PARAMETER_FORM]]};
    size_t depth = p->parameters[PARAMETER_DEPTH], cutoff = p->parameters[PARAMETER_CUTOFF];
    size_t parts = 1;
    for (; r.levels < depth; parts *= 2) {
        size_t order = ceiling(p->n, parts);
        bool tasks = order > p->nb;
        if (order == 1 || (!tasks && order <= cutoff))
            break;
        r.levels++;
        r.task_levels += tasks;
    }
    r.leaf = ceiling(p->n, parts);
    r.leaf_doubles = tile_leading_dimension(r.leaf) * r.leaf;
    r.block_doubles = r.leaf_doubles << 2 * (r.levels - r.task_levels);
    return r;
}

size_t quadrant_doubles(const struct recursion *r, size_t level)
{
    return r->leaf_doubles << 2 * (r->levels - level - 1);
}

size_t quadrant_blocks(const struct recursion *r, size_t level)
{
    return (size_t)1 << 2 * (r->task_levels - level - 1);
}

/* 7 to the power of level: the products of a level. */
static size_t products_of(size_t level)
{
    size_t count = 1;
    while (level-- > 0)
        count *= PRODUCTS;
    return count;
}

double recursion_operations(const struct recursion *r)
{
    double order = (double)(r->leaf << r->levels), products = 1.0, sums = 0.0;
    for (size_t level = 0; level < r->levels; level++) {
        order /= 2.0;
        sums += products * r->form->additions * order * order;
        products *= (double)PRODUCTS;
    }
    return products * 2.0 * order * order * order + sums;
}

/* A sum of several blocks is a task for each of them, and in `depend` another one that creates these. No level
 * of any variant has more. */
double strassen_tasks(const struct problem *p, const struct variant *variant)
{
    struct recursion r = recursion_of(p);
    double products = 1.0, tasks = 1.0;
    for (size_t level = 0; level < r.task_levels; level++) {
        double blocks = (double)quadrant_blocks(&r, level);
        double sums = (double)r.form->sum_count *
                      (variant->submit == strassen_depend ? blocks + 1.0 : blocks);
        tasks += products * (sums + (double)PRODUCTS);
        products *= (double)PRODUCTS;
    }
    return tasks;
}

/* Leaves in the workspaces of all products of a level; SIZE_MAX if that overflows. */
static size_t work_leaves(const struct recursion *r, size_t level)
{
    size_t quadrants = products_of(level) * r->form->work_count;
    return saturating_multiply(quadrants, (size_t)1 << 2 * (r->levels - level - 1));
}

static size_t all_work_leaves(const struct recursion *r)
{
    size_t leaves = 0;
    for (size_t level = 0; level < r->task_levels; level++)
        leaves = saturating_add(leaves, work_leaves(r, level));
    return leaves;
}

/* For `full`, a leaf of each thread; for `fast`, what products with probes take. */
size_t strassen_verify_bytes(const struct problem *p, enum check check)
{
    (void)check; /* the same for each */
    struct recursion r = recursion_of(p);
    size_t leaves = saturating_multiply(p->threads, r.leaf_doubles);
    size_t probes = saturating_multiply((4 + p->threads) * PROBES, r.leaf << r.levels);
    return saturating_multiply(larger(leaves, probes), sizeof(double));
}

size_t strassen_bytes(const struct problem *p)
{
    struct recursion r = recursion_of(p);
    size_t matrices = 3 * ((size_t)1 << 2 * r.levels);
    size_t leaves = saturating_add(matrices, all_work_leaves(&r));
    return saturating_multiply(saturating_multiply(leaves, r.leaf_doubles), sizeof(double));
}

/* One set of matrices for each level below the blocks. */
size_t strassen_workspace_doubles(const struct problem *p)
{
    struct recursion r = recursion_of(p);
    size_t doubles = 0;
    for (size_t level = r.task_levels; level < r.levels; level++)
        doubles += r.form->work_count * quadrant_doubles(&r, level);
    return doubles;
}

/* ---- memory ---- */

/* The bits of i at even positions. */
static size_t spread_bits(size_t i)
{
    size_t spread = 0;
    for (size_t bit = 0; i >> bit; bit++)
        spread |= (i >> bit & 1) << 2 * bit;
    return spread;
}

/* A matrix whose tiles, the leaves, are in Morton's order. */
static struct tile_matrix *create_matrix(const struct recursion *r,
                                         const struct topology *interleave)
{
    size_t order = r->leaf << r->levels;
    struct tile_matrix *A = tile_matrix_create(order, order, r->leaf, r->leaf, interleave);
    for (size_t j = 0; A && j < A->nt; j++)
        for (size_t i = 0; i < A->mt; i++)
            A->column[i + j * A->mt] =
                A->storage + (spread_bits(i) | spread_bits(j) << 1) * r->leaf_doubles;
    return A;
}

int strassen_create(struct problem *p)
{
    struct matrices *s = calloc(1, sizeof *s);
    if (!s)
        return -1;
    p->factors = s;
    struct recursion *r = &s->recursion;
    *r = recursion_of(p);
    for (size_t level = 0, doubles = 0; level < r->task_levels; level++) {
        s->work_start[level] = doubles;
        doubles += work_leaves(r, level) * r->leaf_doubles;
    }
    size_t leaves = all_work_leaves(r);
    s->A = create_matrix(r, p->interleave);
    s->B = create_matrix(r, p->interleave);
    s->C = create_matrix(r, p->interleave);
    if (leaves > 0)
        s->work = tile_matrix_create(leaves * r->leaf, r->leaf, r->leaf, r->leaf, p->interleave);
    return s->A && s->B && s->C && (s->work || leaves == 0) ? 0 : -1;
}

void strassen_destroy(struct problem *p)
{
    struct matrices *s = strassen_of(p);
    if (!s)
        return;
    tile_matrix_destroy(s->A);
    tile_matrix_destroy(s->B);
    tile_matrix_destroy(s->C);
    tile_matrix_destroy(s->work);
    free(s);
    p->factors = NULL;
}
