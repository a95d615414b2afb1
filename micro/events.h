/* SPDX-License-Identifier: BSD-3-Clause
 * How the event of a detached task is fulfilled. */
#ifndef POLLUX_MICRO_EVENTS_H
#define POLLUX_MICRO_EVENTS_H

#include <omp.h>

struct run;

struct events {
    void (*fulfil)(omp_event_handle_t event); /**< the runtime's omp_fulfill_event */
};

/* As struct pattern has them. */
void *events_prepare(struct run *run);
void events_release(void *prepared);

#endif
