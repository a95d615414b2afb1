/* SPDX-License-Identifier: BSD-3-Clause
 * Trees: from the root outwards, each task releasing three, and from the leaves to the root, each task waiting
 * for three. Node 0 is the root, and the children of node i are 3i + 1 to 3i + 3. */
#include "micro/patterns/patterns.h"
#include "micro/random_choice.h"

enum { FAN = 3 };

/* One for each node, and one that stands for children that do not exist. */
static size_t addresses(const struct shape *shape)
{
    return shape->tasks + 1;
}

void define_tree(const struct shape *shape, struct graph *graph, size_t fan)
{
    for (size_t i = 0; i < shape->tasks; i++) {
        graph_add_task(graph);
        if (i > 0)
            graph_add_predecessor(graph, (i - 1) / fan);
    }
}

static void define_out(const struct shape *shape, struct graph *graph)
{
    define_tree(shape, graph, FAN);
}

static void create_out_with_priorities(struct run *run)
{
    char *root = run_address(run, 0);
    int urgency = random_priority(run->shape, 0);
#pragma omp task firstprivate(run) depend(out : root[0]) priority(urgency)
    run_task(run, 0);
    for (size_t i = 1; i < run->shape->tasks; i++) {
        char *parent = run_address(run, (i - 1) / FAN);
        char *own = run_address(run, i);
        urgency = random_priority(run->shape, i);
#pragma omp task firstprivate(run, i) depend(in : parent[0]) depend(out : own[0]) priority(urgency)
        run_task(run, i);
    }
}

static void create_out(struct run *run)
{
    char *root = run_address(run, 0);
    if (run->shape->priorities != CLAUSES_ABSENT) {
        create_out_with_priorities(run);
        return;
    }
#pragma omp task firstprivate(run) depend(out : root[0])
    run_task(run, 0);
    for (size_t i = 1; i < run->shape->tasks; i++) {
        char *parent = run_address(run, (i - 1) / FAN);
        char *own = run_address(run, i);
#pragma omp task firstprivate(run, i) depend(in : parent[0]) depend(out : own[0])
        run_task(run, i);
    }
}

const struct pattern fan_out = {.name = "fan-out",
                                .summary = "a tree from its root: each task releases three",
                                .chosen_priorities = true,
                                .addresses = addresses,
                                .roots = first_address,
                                .define = define_out,
                                .create = create_out};

/* The first node without children. */
static size_t first_leaf(size_t tasks)
{
    return (tasks + FAN - 2) / FAN;
}

static struct range leaves(const struct shape *shape)
{
    return (struct range){first_leaf(shape->tasks), shape->tasks};
}

/* Leaves come first: task t is node `tasks - 1 - t`. */
static void define_in(const struct shape *shape, struct graph *graph)
{
    for (size_t t = 0; t < shape->tasks; t++) {
        size_t node = shape->tasks - 1 - t;
        graph_add_task(graph);
        for (size_t child = FAN * node + 1; child <= FAN * node + FAN; child++)
            if (child < shape->tasks)
                graph_add_predecessor(graph, shape->tasks - 1 - child);
    }
}

static void create_leaf(struct run *run, size_t task, size_t node)
{
    char *own = run_address(run, node);
#pragma omp task firstprivate(run, task) depend(out : own[0])
    run_task(run, task);
}

static char *child_address(const struct run *run, size_t child)
{
    size_t none = run->shape->tasks;
    return run_address(run, child < none ? child : none);
}

static void create_inner(struct run *run, size_t task, size_t node)
{
    char *own = run_address(run, node);
    char *a = child_address(run, FAN * node + 1);
    char *b = child_address(run, FAN * node + 2);
    char *c = child_address(run, FAN * node + 3);
#pragma omp task firstprivate(run, task) depend(in : a[0], b[0], c[0]) depend(out : own[0])
    run_task(run, task);
}

static void create_in(struct run *run)
{
    size_t tasks = run->shape->tasks;
    for (size_t t = 0; t < tasks; t++) {
        size_t node = tasks - 1 - t;
        if (node >= first_leaf(tasks))
            create_leaf(run, t, node);
        else
            create_inner(run, t, node);
    }
}

const struct pattern fan_in = {.name = "fan-in",
                               .summary = "a tree from its leaves: each task waits for three",
                               .addresses = addresses,
                               .roots = leaves,
                               .define = define_in,
                               .create = create_in};
