/* SPDX-License-Identifier: BSD-3-Clause
 * A random graph: each task writes one of about sqrt(tasks) addresses and reads two others. */
#include "micro/random_choice.h"

#include "micro/patterns/patterns.h"

static struct range roots(const struct shape *shape)
{
    return (struct range){0, random_addresses(shape)};
}

static void create(struct run *run)
{
    size_t count = random_addresses(run->shape);
    for (size_t i = 0; i < run->shape->tasks; i++) {
        struct random_choice choice = random_choose(run->shape->seed, i, count);
        char *a = run_address(run, choice.read[0]);
        char *b = run_address(run, choice.read[1]);
        char *own = run_address(run, choice.written);
#pragma omp task firstprivate(run, i) depend(in : a[0], b[0]) depend(inout : own[0])
        run_task(run, i);
    }
}

const struct pattern random_graph = {.name = "random",
                                     .summary =
                                         "each task reads two random addresses and writes one",
                                     .addresses = random_addresses,
                                     .roots = roots,
                                     .define = random_define,
                                     .create = create};
