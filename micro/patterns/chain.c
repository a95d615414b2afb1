/* SPDX-License-Identifier: BSD-3-Clause
 * A chain: each task waits for the one before. */
#include "micro/patterns/patterns.h"
#include "micro/random_choice.h"

void define_chain(const struct shape *shape, struct graph *graph)
{
    for (size_t i = 0; i < shape->tasks; i++) {
        graph_add_task(graph);
        if (i > 0)
            graph_add_predecessor(graph, i - 1);
    }
}

static void create_with_priorities(struct run *run)
{
    char *a = run_address(run, 0);
    for (size_t i = 0; i < run->shape->tasks; i++) {
        int urgency = random_priority(run->shape, i);
#pragma omp task firstprivate(run, i) depend(inout : a[0]) priority(urgency)
        run_task(run, i);
    }
}

static void create(struct run *run)
{
    char *a = run_address(run, 0);
    if (run->shape->priorities != CLAUSES_ABSENT) {
        create_with_priorities(run);
        return;
    }
    for (size_t i = 0; i < run->shape->tasks; i++) {
#pragma omp task firstprivate(run, i) depend(inout : a[0])
        run_task(run, i);
    }
}

const struct pattern chain = {.name = "chain",
                              .summary = "each task waits for the one before: inout of one address",
                              .chosen_priorities = true,
                              .addresses = one_address,
                              .roots = first_address,
                              .define = define_chain,
                              .create = create};
