/* SPDX-License-Identifier: BSD-3-Clause
 * Pauses of a thread that is to end when another one says so. */
#ifndef POLLUX_BENCHMARKS_MPI_PAUSE_H
#define POLLUX_BENCHMARKS_MPI_PAUSE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct pause {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool over; /* by the lock */
};

void pause_create(struct pause *pause);

/** Sleeps for so long, whatever is done to the date meanwhile, or until all is over. @return whether it is */
bool pause_is_over_within(struct pause *pause, int64_t ns);

/** Ends all pauses, now and later. */
void pause_end(struct pause *pause);

void pause_destroy(struct pause *pause);

#endif
