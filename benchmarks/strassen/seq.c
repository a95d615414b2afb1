/* SPDX-License-Identifier: BSD-3-Clause
 * Strassen `seq`: the recursion without OpenMP. */
#include "benchmarks/strassen/strassen.h"

static void multiply(struct problem *p, size_t level, size_t index)
{
    const struct recursion *r = &strassen_of(p)->recursion;
    if (level == r->task_levels) {
        /* C := A B */
        strassen_multiply(p, index);
        return;
    }
    const struct form *form = r->form;
    size_t blocks = quadrant_blocks(r, level);
    /* S := sums of quadrants of A, T := sums of quadrants of B */
    for (size_t block = 0; block < blocks; block++)
        strassen_sums(p, level, index, 0, form->combinations, block);
    /* P := S T, seven times */
    for (size_t number = 0; number < PRODUCTS; number++)
        multiply(p, level + 1, PRODUCTS * index + number);
    /* C := sums of P */
    for (size_t block = 0; block < blocks; block++)
        strassen_sums(p, level, index, form->combinations, form->sum_count, block);
}

void strassen_seq(struct problem *p)
{
    multiply(p, 0, 0);
}
