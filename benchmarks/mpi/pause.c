/* SPDX-License-Identifier: BSD-3-Clause */
#include "benchmarks/mpi/pause.h"

#include <errno.h>
#include <time.h>

#include "common/base/clock.h"

static const int64_t SECOND_NS = 1000000000;

void pause_create(struct pause *pause)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&pause->lock, NULL);
    pthread_cond_init(&pause->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pause->over = false;
}

bool pause_is_over_within(struct pause *pause, int64_t ns)
{
    int64_t until = now_ns(CLOCK_MONOTONIC) + ns;
    const struct timespec time = {.tv_sec = until / SECOND_NS, .tv_nsec = until % SECOND_NS};
    pthread_mutex_lock(&pause->lock);
    while (!pause->over &&
           pthread_cond_timedwait(&pause->changed, &pause->lock, &time) != ETIMEDOUT)
        ;
    bool over = pause->over;
    pthread_mutex_unlock(&pause->lock);
    return over;
}

void pause_end(struct pause *pause)
{
    pthread_mutex_lock(&pause->lock);
    pause->over = true;
    pthread_cond_signal(&pause->changed);
    pthread_mutex_unlock(&pause->lock);
}

void pause_destroy(struct pause *pause)
{
    pthread_cond_destroy(&pause->changed);
    pthread_mutex_destroy(&pause->lock);
}
