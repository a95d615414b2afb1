/* SPDX-License-Identifier: BSD-3-Clause
 * Each breaks what the checks of task-overhead are for, on every runtime. */
#include "tests/micro/planted.h"

#include "micro/patterns/patterns.h"

/* Neither the order of creation nor the opposite one is right, for an even number of tasks. */
static void create_swapped(struct run *run)
{
    for (size_t i = 0; i < run->shape->tasks; i++) {
        size_t task = i ^ 1;
#pragma omp task firstprivate(run, task)
        run_task(run, task);
    }
}

const struct pattern swapped = {.name = "swapped",
                                .summary = "a chain without dependences, neighbours swapped",
                                .addresses = one_address,
                                .roots = first_address,
                                .define = define_chain,
                                .create = create_swapped};

static void create_hasty(struct run *run)
{
    for (size_t i = 0; i < run->shape->tasks; i++) {
#pragma omp task firstprivate(run, i) if (0)
        run_task(run, i);
    }
}

const struct pattern hasty = {.name = "hasty",
                              .summary = "undeferred tasks",
                              .addresses = one_address,
                              .roots = first_address,
                              .define = define_independent,
                              .create = create_hasty};

static void create_hasty_if_timed(struct run *run)
{
    if (run->timed)
        create_hasty(run);
    else
        independent.create(run);
}

static size_t count_addresses(const struct shape *shape)
{
    return independent.addresses(shape);
}

static struct range root_addresses(const struct shape *shape)
{
    return independent.roots(shape);
}

const struct pattern hasty_if_timed = {.name = "hasty-if-timed",
                                       .summary = "independent tasks, undeferred where timed",
                                       .chosen_items = true,
                                       .addresses = count_addresses,
                                       .roots = root_addresses,
                                       .define = define_independent,
                                       .create = create_hasty_if_timed};

static void create_incomplete(struct run *run)
{
    char *a = run_address(run, 0);
    for (size_t i = 0; i + 1 < run->shape->tasks; i++) {
#pragma omp task firstprivate(run, i) depend(inout : a[0])
        run_task(run, i);
    }
}

const struct pattern incomplete = {.name = "incomplete",
                                   .summary = "a chain without its last task",
                                   .addresses = one_address,
                                   .roots = first_address,
                                   .define = define_chain,
                                   .create = create_incomplete};
