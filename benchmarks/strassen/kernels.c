/* SPDX-License-Identifier: BSD-3-Clause
 * Sums go through all their matrices in pieces that stay in the first-level cache, so that each element is
 * read from memory once for all additions. */
#include "benchmarks/strassen/strassen.h"
#include "common/base/sizes.h"
#include "kernels/dense/product.h"

/* Doubles of a piece of a matrix, a multiple of LINE: of up to six matrices, 24 KiB. */
enum { PIECE = 512, LINE = 8 };

/* `to` may be one of the others. */
static void add(double *to, const double *left, const double *right, size_t count)
{
    for (size_t i = 0; i < count; i += LINE) {
        double sum[LINE];
        for (size_t l = 0; l < LINE; l++)
            sum[l] = left[i + l] + right[i + l];
        for (size_t l = 0; l < LINE; l++)
            to[i + l] = sum[l];
    }
}

static void subtract(double *to, const double *left, const double *right, size_t count)
{
    for (size_t i = 0; i < count; i += LINE) {
        double difference[LINE];
        for (size_t l = 0; l < LINE; l++)
            difference[l] = left[i + l] - right[i + l];
        for (size_t l = 0; l < LINE; l++)
            to[i + l] = difference[l];
    }
}

/* The additions of a sum on doubles [first, first + count) of the quadrants; multiples of LINE. */
static void run_additions(const struct recursion *r, const struct product *x, const struct sum *sum,
                          size_t first, size_t count)
{
    double *to[ADDITIONS_MAX], *left[ADDITIONS_MAX], *right[ADDITIONS_MAX];
    for (size_t a = 0; a < sum->additions; a++) {
        to[a] = place_address(r, x, sum->addition[a].to) + first;
        left[a] = place_address(r, x, sum->addition[a].left) + first;
        right[a] = place_address(r, x, sum->addition[a].right) + first;
    }
    for (size_t i = 0; i < count; i += PIECE)
        for (size_t a = 0; a < sum->additions; a++) {
            size_t piece = smaller(PIECE, count - i);
            if (sum->addition[a].sign > 0)
                add(to[a] + i, left[a] + i, right[a] + i, piece);
            else
                subtract(to[a] + i, left[a] + i, right[a] + i, piece);
        }
}

/* The number of a product in the order of levels: the step that its calls belong to. */
static size_t step_of(size_t level, size_t index)
{
    size_t before = 0, products = 1;
    for (; level > 0; level--, products *= PRODUCTS)
        before += products;
    return before + index;
}

static size_t block_order(const struct recursion *r)
{
    return r->leaf << (r->levels - r->task_levels);
}

void strassen_sum(struct problem *p, size_t level, size_t index, size_t sum, size_t block)
{
    const struct matrices *s = strassen_of(p);
    const struct recursion *r = &s->recursion;
    const struct sum *what = &r->form->sums[sum];
    struct product x = product_at(s, level, index);
    size_t first = block * r->block_doubles, order = block_order(r), count = 0;
    struct access accesses[sizeof what->in + sizeof what->out];
    for (size_t i = 0; i < what->ins; i++)
        accesses[count++] = (struct access){place_name(r, &x, what->in[i]) + first, ACCESS_READ};
    for (size_t i = 0; i < what->outs; i++)
        accesses[count++] = (struct access){place_name(r, &x, what->out[i]) + first, ACCESS_WRITE};
    struct call call = {what->kernel, step_of(level, index),
                        sizes_mnk(order, order, what->additions)};
    if (!execution_enter(p->execution, call, accesses, count))
        return;
    run_additions(r, &x, what, first, r->block_doubles);
    execution_leave(p->execution);
}

void strassen_sums(struct problem *p, size_t level, size_t index, size_t first, size_t end,
                   size_t block)
{
    for (size_t sum = first; sum < end; sum++)
        strassen_sum(p, level, index, sum, block);
}

/* C := A B by recursion; x has workspace for this level and those below. */
static void multiply(const struct recursion *r, const struct product *x)
{
    if (x->level == r->levels) {
        size_t n = r->leaf, ld = tile_leading_dimension(n);
        assign_product(tile_view(x->A, n, n, ld), tile_view(x->B, n, n, ld),
                       tile_view(x->C, n, n, ld));
        return;
    }
    const struct form *form = r->form;
    size_t quadrant = quadrant_doubles(r, x->level);
    for (size_t sum = 0; sum < form->combinations; sum++)
        run_additions(r, x, &form->sums[sum], 0, quadrant);
    for (size_t number = 0; number < PRODUCTS; number++) {
        const struct factors *f = &form->products[number];
        struct product factor = {.level = x->level + 1,
                                 .A = place_address(r, x, f->left),
                                 .B = place_address(r, x, f->right),
                                 .C = place_address(r, x, f->out),
                                 .work = x->work + form->work_count * quadrant};
        multiply(r, &factor);
    }
    for (size_t sum = form->combinations; sum < form->sum_count; sum++)
        run_additions(r, x, &form->sums[sum], 0, quadrant);
}

void strassen_multiply(struct problem *p, size_t index)
{
    const struct matrices *s = strassen_of(p);
    const struct recursion *r = &s->recursion;
    struct product x = product_at(s, r->task_levels, index);
    const struct access accesses[] = {
        {x.A_name, ACCESS_READ}, {x.B_name, ACCESS_READ}, {x.C, ACCESS_WRITE}};
    size_t order = block_order(r);
    struct call call = {r->form->product, step_of(r->task_levels, index),
                        sizes_mnk(order, order, order)};
    call.sizes.ib = (uint32_t)r->leaf;
    if (!execution_enter(p->execution, call, accesses, 3))
        return;
    x.work = execution_worker(p->execution)->workspace;
    multiply(r, &x);
    execution_leave(p->execution);
}
