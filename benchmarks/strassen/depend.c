/* SPDX-License-Identifier: BSD-3-Clause
 * Strassen `depend`: the tasks of each product are a domain of their own, in which dependences order sums, the seven
 * products and the combinations; a product of a level is one task of the level above, and waits for those that
 * it creates. Dependences name quadrants: a sum of several blocks creates a task for each and waits for them.
 *
 * No task here has a priority, for the reasons that lu/column.c gives. */
#include "benchmarks/strassen/strassen.h"

/* A sum of a whole quadrant. */
static void add_quadrants(struct problem *p, size_t level, size_t index, size_t sum)
{
    size_t blocks = quadrant_blocks(&strassen_of(p)->recursion, level);
    if (blocks == 1) {
        strassen_sum(p, level, index, sum, 0);
        return;
    }
    for (size_t block = 0; block < blocks; block++) {
#pragma omp task firstprivate(p, level, index, sum, block)
        strassen_sum(p, level, index, sum, block);
    }
#pragma omp taskwait
}

/* What a sum reads and writes is in the table of the form. */
static void create_sum(struct problem *p, const struct product *x, size_t sum)
{
    const struct recursion *r = &strassen_of(p)->recursion;
    const struct sum *what = &r->form->sums[sum];
    size_t level = x->level, index = x->index;
    double *in0 = place_name(r, x, what->in[0]), *in1 = place_name(r, x, what->in[1]);
    double *in2 = place_name(r, x, what->in[2]);
    double *out0 = place_name(r, x, what->out[0]), *out1 = place_name(r, x, what->out[1]);
    if (what->ins == 3) {
        /* out0 := in0 ± in1 ± in2 */
#pragma omp task firstprivate(p, level, index, sum) \
    depend(in : in0[0], in1[0], in2[0]) \
    depend(inout : out0[0])
        add_quadrants(p, level, index, sum);
    } else if (what->ins == 2 && what->outs == 1) {
        /* out0 := in0 ± in1 */
#pragma omp task firstprivate(p, level, index, sum) \
    depend(in : in0[0], in1[0]) \
    depend(inout : out0[0])
        add_quadrants(p, level, index, sum);
    } else if (what->ins == 2) {
        /* out0, out1 := out0 ± in0 ± in1 */
#pragma omp task firstprivate(p, level, index, sum) \
    depend(in : in0[0], in1[0]) \
    depend(inout : out0[0], out1[0])
        add_quadrants(p, level, index, sum);
    } else if (what->outs == 1) {
        /* out0 := out0 ± in0 */
#pragma omp task firstprivate(p, level, index, sum) \
    depend(in : in0[0]) \
    depend(inout : out0[0])
        add_quadrants(p, level, index, sum);
    } else {
        /* out0, out1 := out0 ± in0, out1 ± in0 */
#pragma omp task firstprivate(p, level, index, sum) \
    depend(in : in0[0]) \
    depend(inout : out0[0], out1[0])
        add_quadrants(p, level, index, sum);
    }
}

static void multiply(struct problem *p, size_t level, size_t index)
{
    const struct matrices *s = strassen_of(p);
    const struct recursion *r = &s->recursion;
    const struct form *form = r->form;
    if (level == r->task_levels) {
        /* C := A B */
        strassen_multiply(p, index);
        return;
    }
    struct product x = product_at(s, level, index);
    /* S := sums of quadrants of A, T := sums of quadrants of B */
    for (size_t sum = 0; sum < form->combinations; sum++)
        create_sum(p, &x, sum);
    for (size_t number = 0; number < PRODUCTS; number++) {
        size_t factor = PRODUCTS * index + number;
        double *S = place_name(r, &x, form->products[number].left);
        double *T = place_name(r, &x, form->products[number].right);
        double *P = place_name(r, &x, form->products[number].out);
        /* P := S T */
#pragma omp task firstprivate(p, level, factor) \
    depend(in : S[0], T[0]) \
    depend(inout : P[0])
        multiply(p, level + 1, factor);
    }
    /* C := sums of P */
    for (size_t sum = form->combinations; sum < form->sum_count; sum++)
        create_sum(p, &x, sum);
    if (level == 0)
        execution_note_submitted(p->execution);
#pragma omp taskwait
}

void strassen_depend(struct problem *p)
{
    multiply(p, 0, 0);
}
