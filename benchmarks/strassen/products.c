/* SPDX-License-Identifier: BSD-3-Clause
 * A product's matrices follow from its number: its digits to the base 7 say which of the seven it is on each
 * level. */
#include <stdint.h>

#include "benchmarks/strassen/strassen.h"

double *place_address(const struct recursion *r, const struct product *x, unsigned place)
{
    double *const matrices[] = {x->A, x->B, x->C};
    size_t quadrant = quadrant_doubles(r, x->level);
    return place < WORK ? matrices[place / QUADRANTS] + place % QUADRANTS * quadrant
                        : x->work + (place - WORK) * quadrant;
}

double *place_name(const struct recursion *r, const struct product *x, unsigned place)
{
    double *const names[] = {x->A_name, x->B_name, x->C};
    size_t quadrant = quadrant_doubles(r, x->level);
    return place < WORK ? names[place / QUADRANTS] + place % QUADRANTS * quadrant
                        : x->work + (r->form->named[place - WORK] - WORK) * quadrant;
}

static double *work_of(const struct matrices *s, size_t level, size_t index)
{
    const struct recursion *r = &s->recursion;
    if (level == r->task_levels) /* has that of the thread, once it runs */
        return s->C->storage;
    return s->work->storage + s->work_start[level] +
           index * r->form->work_count * quadrant_doubles(r, level);
}

static struct product factor_of(const struct matrices *s, const struct product *x, size_t number)
{
    const struct recursion *r = &s->recursion;
    const struct factors *f = &r->form->products[number];
    size_t index = PRODUCTS * x->index + number;
    return (struct product){.level = x->level + 1,
                            .index = index,
                            .A = place_address(r, x, f->left),
                            .B = place_address(r, x, f->right),
                            .C = place_address(r, x, f->out),
                            .A_name = place_name(r, x, f->left),
                            .B_name = place_name(r, x, f->right),
                            .work = work_of(s, x->level + 1, index)};
}

struct product product_at(const struct matrices *s, size_t level, size_t index)
{
    if (level > 0) {
        struct product above = product_at(s, level - 1, index / PRODUCTS);
        return factor_of(s, &above, index % PRODUCTS);
    }
    double *A = s->A->storage, *B = s->B->storage;
    return (struct product){
        .A = A, .B = B, .C = s->C->storage, .A_name = A, .B_name = B, .work = work_of(s, 0, 0)};
}

/* The even bits of i. */
static size_t gather_bits(size_t i)
{
    size_t gathered = 0;
    for (size_t bit = 0; i >> 2 * bit; bit++)
        gathered |= (i >> 2 * bit & 1) << bit;
    return gathered;
}

/* All that a product's calls write are quadrants of blocks: of its workspace, or of its C. */
void strassen_coordinates(const struct problem *p, size_t k, const void *object, size_t *i,
                          size_t *j)
{
    const struct matrices *s = strassen_of(p);
    const struct recursion *r = &s->recursion;
    size_t level = 0;
    for (size_t products = 1; k >= products; products *= PRODUCTS, level++)
        k -= products;
    *i = *j = 0;
    if (level == r->task_levels)
        return;
    struct product x = product_at(s, level, k);
    size_t quadrant = quadrant_doubles(r, level);
    uintptr_t address = (uintptr_t)object;
    size_t in_work = (address - (uintptr_t)x.work) / sizeof(double);
    size_t in_C = (address - (uintptr_t)x.C) / sizeof(double);
    size_t offset = in_work < r->form->work_count * quadrant ? in_work : in_C;
    size_t block = offset % quadrant / r->block_doubles;
    *i = gather_bits(block);
    *j = gather_bits(block >> 1);
}
