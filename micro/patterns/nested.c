/* SPDX-License-Identifier: BSD-3-Clause
 * A tree of nested tasks: each creates its two children and waits for them. Node i has the children 2i + 1 and
 * 2i + 2. */
#include "micro/patterns/patterns.h"

enum { CHILDREN = 2 };

static void define(const struct shape *shape, struct graph *graph)
{
    define_tree(shape, graph, CHILDREN);
}

/* The node's own part ends before its children begin. */
static void run_node(struct run *run, size_t node)
{
    size_t first = CHILDREN * node + 1, end = first + CHILDREN;
    run_task(run, node);
    if (first >= run->shape->tasks)
        return;
    for (size_t child = first; child < end && child < run->shape->tasks; child++) {
#pragma omp task firstprivate(run, child)
        run_node(run, child);
    }
#pragma omp taskwait
    for (size_t child = first; child < end && child < run->shape->tasks; child++)
        run_require(run, node, child);
}

static void create(struct run *run)
{
#pragma omp task firstprivate(run)
    run_node(run, 0);
}

const struct pattern tree = {.name = "tree",
                             .summary = "nested tasks: each creates two and waits for them",
                             .needs = CAPABILITY_NESTED_TASKS,
                             .addresses = one_address,
                             .ungated = "tasks are created by tasks, while others run",
                             .define = define,
                             .create = create};
