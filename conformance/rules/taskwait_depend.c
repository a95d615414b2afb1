/* SPDX-License-Identifier: BSD-3-Clause
 * taskwait with a depend clause waits for the tasks it names, and for no other. */
#include "conformance/gate.h"
#include "conformance/ordered.h"

enum { TASKS = 48, BUSY_MICROSECONDS = 40 };

struct wait {
    struct ordered graph;
    int begun, passed, met; /* by the task that is not named */
};

/* Ends only after the first taskwait, where the runtime allows that. */
static void outlast(struct trial *trial, struct wait *wait)
{
    gate_pass(trial, &wait->begun);
    if (gate_pass(trial, &wait->passed))
        shared_set(&wait->met, 1);
}

static void create_task(struct trial *trial, struct ordered *graph)
{
    size_t task = ordered_next(trial, graph);
    int *in = ordered_read(graph, task);
    int *out = ordered_written(graph, task);
#pragma omp task firstprivate(trial, graph, task) \
    depend(in : in[0]) \
    depend(inout : out[0])
    ordered_run(trial, graph, task, BUSY_MICROSECONDS);
}

static void wait_for_some(struct trial *trial, struct ordered *graph)
{
    size_t named = trial_random(trial, ORDERED_ADDRESSES);
    int *item = &graph->address[named];
    if (trial_random(trial, 2) == 0) {
#pragma omp taskwait depend(in : item[0])
        if (!ordered_writers_ended(graph, named))
            trial_broken(trial, "taskwait depend(in) ended before a writer of its item");
    } else {
#pragma omp taskwait depend(inout : item[0])
        if (!ordered_writers_ended(graph, named) || !ordered_readers_ended(graph, named))
            trial_broken(trial, "taskwait depend(inout) ended before a task that names its item");
    }
}

static void submit(struct trial *trial, void *data)
{
    struct wait *wait = data;
    int storage = 0;
    int *unnamed = &storage;
#pragma omp task firstprivate(trial, wait) \
    depend(inout : unnamed[0])
    outlast(trial, wait);
    gate_pass(trial, &wait->begun);
    for (int i = 0; i < TASKS; i++) {
        create_task(trial, &wait->graph);
        if (i % 4 == 3)
            wait_for_some(trial, &wait->graph);
        if (i == 3)
            gate_pass(trial, &wait->passed);
    }
#pragma omp taskwait
}

static void attempt(struct trial *trial)
{
    struct wait wait = {.begun = 0};
    on_single(trial, submit, &wait);
    ordered_check_complete(trial, &wait.graph);
    if (!wait.met && trial->threads > 1)
        trial_serialised(trial, "a task that the taskwait does not name never outlasted it");
}

const struct rule rule = {.name = "taskwait-depend",
                          .statement = "taskwait with a depend clause waits for the earlier "
                                       "siblings it depends on, and need not wait for others.",
                          .source = "OpenMP 5.2, 15.5",
                          .attempt = attempt};
