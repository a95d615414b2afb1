/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks that may run in any order, between tasks that may not: readers of one address, and the sets of OpenMP 5. */
#include "micro/patterns/patterns.h"

/* The first task writes, and so does the last; those in between read. */
static void define_readers(const struct shape *shape, struct graph *graph)
{
    size_t last = shape->tasks - 1;
    for (size_t i = 0; i < shape->tasks; i++) {
        graph_add_task(graph);
        if (i > 0)
            graph_add_predecessor(graph, 0);
        for (size_t reader = 1; i == last && reader < last; reader++)
            graph_add_predecessor(graph, reader);
    }
}

static void create_readers(struct run *run)
{
    size_t last = run->shape->tasks - 1;
    char *a = run_address(run, 0);
#pragma omp task firstprivate(run) depend(out : a[0])
    run_task(run, 0);
    for (size_t i = 1; i < last; i++) {
#pragma omp task firstprivate(run, i) depend(in : a[0])
        run_task(run, i);
    }
    if (last > 0) {
#pragma omp task firstprivate(run, last) depend(inout : a[0])
        run_task(run, last);
    }
}

const struct pattern readers = {.name = "readers",
                                .summary = "readers of one address between two writers",
                                .addresses = one_address,
                                .roots = first_address,
                                .define = define_readers,
                                .create = create_readers};

/* Eight tasks of a set, and one that waits for them and that the next set waits for. */
enum { SET = 8 };

static bool is_between(size_t task)
{
    return task % (SET + 1) == SET;
}

static void define_sets(const struct shape *shape, struct graph *graph)
{
    for (size_t i = 0; i < shape->tasks; i++) {
        size_t first = i - i % (SET + 1);
        graph_add_task(graph);
        for (size_t member = first; is_between(i) && member < i; member++)
            graph_add_predecessor(graph, member);
        if (!is_between(i) && first > 0)
            graph_add_predecessor(graph, first - 1);
    }
}

#if defined(POLLUX_HAVE_INOUTSET) || defined(POLLUX_HAVE_MUTEXINOUTSET)

static void create_between(struct run *run, size_t i)
{
    char *a = run_address(run, 0);
#pragma omp task firstprivate(run, i) depend(inout : a[0])
    run_task(run, i);
}

#endif

#ifdef POLLUX_HAVE_INOUTSET

static void create_inoutset(struct run *run)
{
    char *a = run_address(run, 0);
    for (size_t i = 0; i < run->shape->tasks; i++) {
        if (is_between(i)) {
            create_between(run, i);
            continue;
        }
#pragma omp task firstprivate(run, i) depend(inoutset : a[0])
        run_task(run, i);
    }
}

#endif

const struct pattern inoutset = {.name = "inoutset",
                                 .summary = "sets of eight writers, inout between the sets",
                                 .needs = CAPABILITY_INOUTSET,
                                 .addresses = one_address,
                                 .roots = first_address,
                                 .define = define_sets,
#ifdef POLLUX_HAVE_INOUTSET
                                 .create = create_inoutset
#endif
};

#ifdef POLLUX_HAVE_MUTEXINOUTSET

static void create_mutexinoutset(struct run *run)
{
    char *a = run_address(run, 0);
    for (size_t i = 0; i < run->shape->tasks; i++) {
        if (is_between(i)) {
            create_between(run, i);
            continue;
        }
#pragma omp task firstprivate(run, i) depend(mutexinoutset : a[0])
        run_task_alone(run, i);
    }
}

static void call_mutexinoutset(struct run *run)
{
    for (size_t i = 0; i < run->shape->tasks; i++)
        (is_between(i) ? run_task : run_task_alone)(run, i);
}

#endif

const struct pattern mutexinoutset = {.name = "mutexinoutset",
                                      .summary =
                                          "sets of eight tasks, one at a time, inout between them",
                                      .needs = CAPABILITY_MUTEXINOUTSET,
                                      .one_at_a_time = true,
                                      .addresses = one_address,
                                      .roots = first_address,
                                      .define = define_sets,
#ifdef POLLUX_HAVE_MUTEXINOUTSET
                                      .create = create_mutexinoutset,
                                      .call = call_mutexinoutset
#endif
};
