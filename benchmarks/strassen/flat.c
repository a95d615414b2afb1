/* SPDX-License-Identifier: BSD-3-Clause
 * Strassen `flat`: the whole recursion as one graph of sums and products of blocks, ordered by dependences on
 * blocks. All tasks are siblings: a product of one level begins as soon as its own blocks are there, whatever
 * else of the levels above is missing. */
#include "benchmarks/strassen/strassen.h"

/* One sum of one block. What it reads and writes is in the table of the form. */
static void create_sum(struct problem *p, const struct product *x, size_t sum, size_t block)
{
    const struct recursion *r = &strassen_of(p)->recursion;
    const struct sum *what = &r->form->sums[sum];
    size_t level = x->level, index = x->index, first = block * r->block_doubles;
    double *in0 = place_name(r, x, what->in[0]) + first;
    double *in1 = place_name(r, x, what->in[1]) + first;
    double *in2 = place_name(r, x, what->in[2]) + first;
    double *out0 = place_name(r, x, what->out[0]) + first;
    double *out1 = place_name(r, x, what->out[1]) + first;
    if (what->ins == 3) {
        /* out0 := in0 ± in1 ± in2 */
#pragma omp task firstprivate(p, level, index, sum, block) \
    depend(in : in0[0], in1[0], in2[0]) \
    depend(inout : out0[0])
        strassen_sum(p, level, index, sum, block);
    } else if (what->ins == 2 && what->outs == 1) {
        /* out0 := in0 ± in1 */
#pragma omp task firstprivate(p, level, index, sum, block) \
    depend(in : in0[0], in1[0]) \
    depend(inout : out0[0])
        strassen_sum(p, level, index, sum, block);
    } else if (what->ins == 2) {
        /* out0, out1 := out0 ± in0 ± in1 */
#pragma omp task firstprivate(p, level, index, sum, block) \
    depend(in : in0[0], in1[0]) \
    depend(inout : out0[0], out1[0])
        strassen_sum(p, level, index, sum, block);
    } else if (what->outs == 1) {
        /* out0 := out0 ± in0 */
#pragma omp task firstprivate(p, level, index, sum, block) \
    depend(in : in0[0]) \
    depend(inout : out0[0])
        strassen_sum(p, level, index, sum, block);
    } else {
        /* out0, out1 := out0 ± in0, out1 ± in0 */
#pragma omp task firstprivate(p, level, index, sum, block) \
    depend(in : in0[0]) \
    depend(inout : out0[0], out1[0])
        strassen_sum(p, level, index, sum, block);
    }
}

static void create_product(struct problem *p, size_t level, size_t index)
{
    const struct matrices *s = strassen_of(p);
    const struct recursion *r = &s->recursion;
    struct product x = product_at(s, level, index);
    if (level == r->task_levels) {
        double *A = x.A_name, *B = x.B_name, *C = x.C;
        /* C := A B */
#pragma omp task firstprivate(p, index) \
    depend(in : A[0], B[0]) \
    depend(inout : C[0])
        strassen_multiply(p, index);
        return;
    }
    const struct form *form = r->form;
    size_t blocks = quadrant_blocks(r, level);
    /* S := sums of quadrants of A, T := sums of quadrants of B */
    for (size_t sum = 0; sum < form->combinations; sum++)
        for (size_t block = 0; block < blocks; block++)
            create_sum(p, &x, sum, block);
    /* P := S T, seven times */
    for (size_t number = 0; number < PRODUCTS; number++)
        create_product(p, level + 1, PRODUCTS * index + number);
    /* C := sums of P */
    for (size_t sum = form->combinations; sum < form->sum_count; sum++)
        for (size_t block = 0; block < blocks; block++)
            create_sum(p, &x, sum, block);
}

void strassen_flat(struct problem *p)
{
    create_product(p, 0, 0);
}
