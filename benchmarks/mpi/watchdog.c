/* SPDX-License-Identifier: BSD-3-Clause
 * A thread of the operating system looks at counts from time to time; it is no thread of the runtime. */
#include "benchmarks/mpi/watchdog.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "benchmarks/mpi/pause.h"
#include "common/base/clock.h"
#include "common/machine/affinity.h"

static const int64_t SECOND_NS = 1000000000;

struct watchdog {
    struct exchange *x;
    pthread_t thread;
    struct pause pause;
};

/* Kernels and messages so far; the counts of kernels are read while their threads write them. */
static uint64_t progress_of(const struct exchange *x)
{
    const struct execution *execution = x->problem->execution;
    uint64_t count = atomic_load(&x->received) + atomic_load(&x->sent) + atomic_load(&x->apart);
    for (size_t t = 0; t < execution->threads; t++)
        count += __atomic_load_n(&execution->workers[t].kernel_count, __ATOMIC_RELAXED);
    return count;
}

/* Whether a kernel computes, which may take longer than anybody's patience, and no message is waited for meanwhile. */
static bool only_computes(const struct exchange *x)
{
    return atomic_load(&x->received) == atomic_load(&x->to_receive) &&
           atomic_load(&x->sent) == atomic_load(&x->to_send) && exchange_computing(x) > 0;
}

_Noreturn static void give_up(const struct exchange *x)
{
    world_fail(POLLUX_MACHINE,
               "nothing has moved for %.0f s (--patience): %zu of %zu messages have not come, and "
               "%zu of %zu are not delivered, in variant %s",
               world()->patience, atomic_load(&x->to_receive) - atomic_load(&x->received),
               atomic_load(&x->to_receive), atomic_load(&x->to_send) - atomic_load(&x->sent),
               atomic_load(&x->to_send), x->method->name);
}

/* The process may have been stopped since the last look, which then seems to be long ago. */
static double seconds_since(int64_t *last)
{
    const double longest = 2.0;
    int64_t now = now_ns(CLOCK_MONOTONIC);
    double seconds = 1e-9 * (double)(now - *last);
    *last = now;
    return fmin(seconds, longest);
}

static void *watch(void *argument)
{
    struct watchdog *dog = argument;
    uint64_t before = progress_of(dog->x);
    int64_t last = now_ns(CLOCK_MONOTONIC);
    double idle = 0.0;
    affinity_restore(); /* it is not bound like the thread that creates it */
    while (!pause_is_over_within(&dog->pause, SECOND_NS)) {
        uint64_t progress = progress_of(dog->x);
        double seconds = seconds_since(&last);
        bool moves = progress != before || only_computes(dog->x);
        idle = moves ? 0.0 : idle + seconds;
        before = progress;
        if (idle > world()->patience)
            give_up(dog->x);
    }
    return NULL;
}

struct watchdog *watchdog_create(struct exchange *x)
{
    struct watchdog *dog = calloc(1, sizeof *dog);
    if (!dog)
        world_fail(POLLUX_MACHINE, "no memory");
    dog->x = x;
    pause_create(&dog->pause);
    if (pthread_create(&dog->thread, NULL, watch, dog) != 0)
        world_fail(POLLUX_MACHINE, "cannot start a thread");
    return dog;
}

void watchdog_destroy(struct watchdog *dog)
{
    pause_end(&dog->pause);
    pthread_join(dog->thread, NULL);
    pause_destroy(&dog->pause);
    free(dog);
}
