/* SPDX-License-Identifier: BSD-3-Clause
 * The chain, of detached tasks: each is complete when it has ended and its event is fulfilled. It fulfils it itself, at
 * its end, so that no thread has to wait for an event that a task must fulfil which nobody runs. */
#include "micro/patterns/patterns.h"

#ifdef POLLUX_HAVE_DETACH

#include <string.h>

#include "micro/events.h"

static void run_detached(struct run *run, size_t i, omp_event_handle_t event)
{
    const struct events *events = run->prepared;
    run_task(run, i);
    events->fulfil(event);
}

static void create(struct run *run)
{
    char *a = run_address(run, 0);
    omp_event_handle_t event; /* an enumeration, to which 0 must not be cast */
    memset(&event, 0, sizeof event);
    for (size_t i = 0; i < run->shape->tasks; i++) {
#pragma omp task firstprivate(run, i) depend(inout : a[0]) detach(event)
        run_detached(run, i, event);
    }
}

#endif

static void define(const struct shape *shape, struct graph *graph)
{
    chain.define(shape, graph);
}

const struct pattern detach = {.name = "detach",
                               .summary = "the chain, of tasks that fulfil an event of their own",
                               .needs = CAPABILITY_DETACH,
                               .addresses = one_address,
                               .roots = first_address,
                               .define = define,
#ifdef POLLUX_HAVE_DETACH
                               .prepare = events_prepare,
                               .release = events_release,
                               .create = create
#endif
};
