/* SPDX-License-Identifier: BSD-3-Clause
 * A reduction over a taskloop, of its own or of the taskgroup around it, loses no contribution. */
#include "conformance/gate.h"

/* clang warns about arithmetic that it generates itself for a taskloop. */
#pragma GCC diagnostic ignored "-Wsign-conversion"

enum { ITERATIONS = 200 };

struct result {
    int sum, outer_sum, outer_greatest;
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The first and the last iteration are in different tasks. Each reads the sum before the other writes it: a
 * sum that they shared would lose a number.
 * @return the sum before iteration i adds to it */
static int read_sum(struct trial *trial, int *gate, size_t i, int sum)
{
    if (i == 1 || i == ITERATIONS)
        gate_pass(trial, gate);
    return sum;
}

static void submit(struct trial *trial, void *data)
{
    struct result *result = data;
    int grain = 1 + (int)trial_random(trial, 20); /* a task has fewer than 40 iterations */
    int gates[2] = {0, 0};
    int *gate = &gates[0], *outer_gate = &gates[1];
    int sum = 1;
    int outer_sum = 2;
    int outer_greatest = 0;
#pragma omp taskloop firstprivate(trial, gate) grainsize(grain) reduction(+ : sum)
    for (size_t i = 1; i <= ITERATIONS; i++)
        sum = read_sum(trial, gate, i, sum) + (int)i;
    result[0].sum = sum;
#pragma omp taskgroup task_reduction(+ : outer_sum) task_reduction(max : outer_greatest)
    {
#pragma omp taskloop firstprivate(trial, outer_gate) grainsize(grain) in_reduction(+ : outer_sum) \
    in_reduction(max : outer_greatest)
        for (size_t i = 1; i <= ITERATIONS; i++) {
            outer_sum = read_sum(trial, outer_gate, i, outer_sum) + (int)i;
            outer_greatest = larger(outer_greatest, (int)i);
        }
    }
    result[0].outer_sum = outer_sum;
    result[0].outer_greatest = outer_greatest;
}

static void attempt(struct trial *trial)
{
    enum { SUM = ITERATIONS * (ITERATIONS + 1) / 2 };
    struct result result = {0, 0, 0};
    on_single(trial, submit, &result);
    if (result.sum != 1 + SUM)
        trial_broken(trial, "the sum over a taskloop is %d instead of %d", result.sum, 1 + SUM);
    if (result.outer_sum != 2 + SUM || result.outer_greatest != ITERATIONS)
        trial_broken(trial,
                     "a taskloop in a taskgroup gave sum %d and maximum %d instead of %d "
                     "and %d",
                     result.outer_sum, result.outer_greatest, 2 + SUM, ITERATIONS);
}

const struct rule rule = {.name = "taskloop-reduction",
                          .statement = "A variable reduced over a taskloop holds the contributions "
                                       "of all iterations.",
                          .source = "OpenMP 5.2, 5.5.8, 5.5.10 and 12.6",
                          .attempt = attempt};
