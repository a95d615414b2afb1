/* SPDX-License-Identifier: BSD-3-Clause
 * Parallel regions, and the constructs that all threads of a team meet. */
#include "micro/constructs/construct.h"

#if defined(POLLUX_HAVE_PARALLEL) && !defined(_OMPSS)

static void test_parallel(struct construct_run *run)
{
    int threads = (int)run->threads;
    for (size_t i = 0; i < run->inner; i++) {
#pragma omp parallel num_threads(threads)
        construct_work(run, i);
        construct_expect(run, i, run->threads);
    }
}

static void test_for(struct construct_run *run)
{
    int threads = (int)run->threads;
#pragma omp parallel num_threads(threads)
    for (size_t i = 0; i < run->inner; i++) {
#pragma omp for schedule(static)
        for (int t = 0; t < threads; t++)
            construct_work(run, i);
        construct_expect(run, i, run->threads);
    }
}

static void test_parallel_for(struct construct_run *run)
{
    int threads = (int)run->threads;
    for (size_t i = 0; i < run->inner; i++) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int t = 0; t < threads; t++)
            construct_work(run, i);
        construct_expect(run, i, run->threads);
    }
}

static void test_barrier(struct construct_run *run)
{
    int threads = (int)run->threads;
#pragma omp parallel num_threads(threads)
    for (size_t i = 0; i < run->inner; i++) {
        construct_work(run, i);
#pragma omp barrier
        construct_expect(run, i, run->threads);
    }
}

static void test_single(struct construct_run *run)
{
    int threads = (int)run->threads;
#pragma omp parallel num_threads(threads)
    for (size_t i = 0; i < run->inner; i++) {
#pragma omp single
        construct_work(run, i);
        construct_expect(run, i, 1);
    }
}

static void test_reduction(struct construct_run *run)
{
    int threads = (int)run->threads;
    for (size_t i = 0; i < run->inner; i++) {
        size_t sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        {
            construct_work(run, i);
            sum++;
        }
        run->total += sum;
        construct_expect(run, i, run->threads);
    }
}

#else
#define test_parallel NULL
#define test_for NULL
#define test_parallel_for NULL
#define test_barrier NULL
#define test_single NULL
#define test_reduction NULL
#endif

const struct construct construct_parallel = {
    .name = "parallel", .summary = "a parallel region", .share = SHARE_TEAM, .test = test_parallel};

const struct construct construct_for = {.name = "for",
                                        .summary = "a loop with an iteration for each thread",
                                        .share = SHARE_TEAM,
                                        .test = test_for};

const struct construct construct_parallel_for = {
    .name = "parallel-for",
    .summary = "a parallel region around such a loop, in one directive",
    .share = SHARE_TEAM,
    .test = test_parallel_for};

const struct construct construct_barrier = {
    .name = "barrier", .summary = "a barrier", .share = SHARE_TEAM, .test = test_barrier};

const struct construct construct_single = {.name = "single",
                                           .summary = "a single region, with its barrier",
                                           .share = SHARE_SINGLE,
                                           .test = test_single};

const struct construct construct_reduction = {.name = "reduction",
                                              .summary =
                                                  "a parallel region with a sum over its threads",
                                              .share = SHARE_TEAM,
                                              .sums = true,
                                              .test = test_reduction};
