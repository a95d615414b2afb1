/* SPDX-License-Identifier: BSD-3-Clause
 * What only one thread may do at a time, while all want to. */
#include <omp.h>

#include "micro/constructs/construct.h"

#if defined(POLLUX_HAVE_PARALLEL) && !defined(_OMPSS)

static void test_critical(struct construct_run *run)
{
    int threads = (int)run->threads;
#pragma omp parallel num_threads(threads)
    {
        size_t first = (size_t)omp_get_thread_num() * run->inner;
        for (size_t i = 0; i < run->inner; i++) {
#pragma omp critical
            construct_work_alone(run, first + i);
        }
    }
}

/* Nothing that threads read while they wait for the lock shares its cache line. */
struct lonely_lock {
    omp_lock_t lock;
} __attribute__((aligned(64)));

static void test_lock(struct construct_run *run)
{
    int threads = (int)run->threads;
    struct lonely_lock storage;
    omp_lock_t *lock = &storage.lock;
    omp_init_lock(lock);
#pragma omp parallel num_threads(threads)
    {
        size_t first = (size_t)omp_get_thread_num() * run->inner;
        for (size_t i = 0; i < run->inner; i++) {
            omp_set_lock(lock);
            construct_work_alone(run, first + i);
            omp_unset_lock(lock);
        }
    }
    omp_destroy_lock(lock);
}

static void test_atomic(struct construct_run *run)
{
    int threads = (int)run->threads;
    size_t *total = &run->total;
#pragma omp parallel num_threads(threads)
    for (size_t i = 0; i < run->inner; i++) {
#pragma omp atomic
        *total += 1;
    }
}

#else
#define test_critical NULL
#define test_lock NULL
#define test_atomic NULL
#endif

const struct construct construct_critical = {.name = "critical",
                                             .summary = "a critical region that all threads enter",
                                             .share = SHARE_ALONE,
                                             .test = test_critical};

const struct construct construct_lock = {.name = "lock",
                                         .summary = "a lock that all threads set and unset",
                                         .share = SHARE_ALONE,
                                         .test = test_lock};

const struct construct construct_atomic = {.name = "atomic",
                                           .summary = "an atomic addition to one variable",
                                           .share = SHARE_ALONE,
                                           .bare = true,
                                           .sums = true,
                                           .test = test_atomic};
