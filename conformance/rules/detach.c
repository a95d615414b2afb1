/* SPDX-License-Identifier: BSD-3-Clause
 * A detached task is complete when its event is fulfilled, by any thread, and not before. */
#include <omp.h>
#include <string.h>

#include "conformance/rule.h"

enum { EVENTS = 12, BUSY_MICROSECONDS = 40 };

struct events {
    int item[EVENTS]; /* what the depend clauses name */
    int body_ended[EVENTS];
    int fulfilled[EVENTS];
    int succeeded;
};

static void fulfil(struct trial *trial, struct events *events, int i, omp_event_handle_t event)
{
    keep_busy_randomly(trial, (size_t)i, BUSY_MICROSECONDS);
    shared_set(&events->fulfilled[i], 1);
    omp_fulfill_event(event);
}

static void succeed(struct trial *trial, struct events *events, int i)
{
    if (!shared_get(&events->body_ended[i]) || !shared_get(&events->fulfilled[i]))
        trial_broken(trial, "a successor of a detached task began before the %s",
                     shared_get(&events->body_ended[i]) ? "event was fulfilled"
                                                        : "task's own code had ended");
    shared_add(&events->succeeded, 1);
}

static void create(struct trial *trial, struct events *events, int i)
{
    omp_event_handle_t none; /* an enumeration, to which 0 must not be cast */
    memset(&none, 0, sizeof none);
    omp_event_handle_t event = none;
    int *item = &events->item[i];
#pragma omp task firstprivate(events, i) \
    depend(out : item[0]) \
    detach(event)
    shared_set(&events->body_ended[i], 1);
#pragma omp task firstprivate(trial, events, i) \
    depend(in : item[0])
    succeed(trial, events, i);
    if (event == none) {
        trial_broken(trial, "a task with a detach clause came without an event");
        shared_set(&events->fulfilled[i], 1);
    } else if (trial_random(trial, 2) == 0) {
        fulfil(trial, events, i, event);
    } else {
/* It depends on nothing: a thread that waits can always execute it. */
#pragma omp task firstprivate(trial, events, i, event)
        fulfil(trial, events, i, event);
    }
}

static void submit(struct trial *trial, void *data)
{
    struct events *events = data;
    for (int i = 0; i < EVENTS; i++)
        create(trial, events, i);
#pragma omp taskwait
    for (int i = 0; i < EVENTS; i++)
        if (!shared_get(&events->fulfilled[i]) || !shared_get(&events->body_ended[i]))
            trial_broken(trial, "a taskwait ended before a detached task was complete");
    if (shared_get(&events->succeeded) != EVENTS)
        trial_broken(trial, "%d of %d successors ran", shared_get(&events->succeeded), EVENTS);
}

static void attempt(struct trial *trial)
{
    struct events events = {.succeeded = 0};
    on_single(trial, submit, &events);
}

const struct rule rule = {.name = "detach",
                          .statement = "A task with a detach clause is complete when its code has "
                                       "ended and its event is fulfilled; successors wait for it.",
                          .source = "OpenMP 5.2, 12.5.2",
                          .attempt = attempt};
