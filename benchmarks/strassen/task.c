/* SPDX-License-Identifier: BSD-3-Clause
 * Strassen `task`: on each level the sums, then the seven products, then the combinations, with a taskwait
 * after each. */
#include "benchmarks/strassen/strassen.h"

/* Sums first … end - 1 of all blocks, one task for each block. */
static void create_sums(struct problem *p, size_t level, size_t index, size_t first, size_t end)
{
    size_t blocks = quadrant_blocks(&strassen_of(p)->recursion, level);
    for (size_t block = 0; block < blocks; block++) {
#pragma omp task firstprivate(p, level, index, first, end, block)
        strassen_sums(p, level, index, first, end, block);
    }
}

static void multiply(struct problem *p, size_t level, size_t index)
{
    const struct recursion *r = &strassen_of(p)->recursion;
    if (level == r->task_levels) {
        /* C := A B */
        strassen_multiply(p, index);
        return;
    }
    const struct form *form = r->form;
    /* S := sums of quadrants of A */
    create_sums(p, level, index, 0, form->right);
    /* T := sums of quadrants of B */
    create_sums(p, level, index, form->right, form->combinations);
#pragma omp taskwait
    for (size_t number = 0; number < PRODUCTS; number++) {
        size_t factor = PRODUCTS * index + number;
        /* P := S T */
#pragma omp task firstprivate(p, level, factor)
        multiply(p, level + 1, factor);
    }
#pragma omp taskwait
    /* C := sums of P */
    create_sums(p, level, index, form->combinations, form->sum_count);
    if (level == 0)
        execution_note_submitted(p->execution);
#pragma omp taskwait
}

void strassen_task(struct problem *p)
{
    multiply(p, 0, 0);
}
