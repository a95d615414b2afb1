/* SPDX-License-Identifier: BSD-3-Clause
 * Checks what the OMPT tool records: `recorded THREADS TASKS WAY`, each creator creating TASKS tasks.
 *
 * WAY is `one` (one thread creates), `all` (each thread does) or `nested` (tasks of one thread do).
 * Two recordings follow each other; errors are counted and printed. */
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "loaded.h"

enum { GRAIN = 100 }; /* tasks that a task of `nested` creates */

static const struct ompt_tool *tool;
static atomic_int *seen; /* how often each number occurred */
static int expected;
static atomic_int wrong_time, wrong_creator, wrong_number, not_none, changed;

static void check(int64_t before, int creator)
{
    const struct ompt_task task = tool->current();
    if (task.created_ns < before || task.scheduled_ns < task.created_ns ||
        now_ns(CLOCK_MONOTONIC) < task.scheduled_ns)
        wrong_time++;
    if (task.creator != creator)
        wrong_creator++;
    if (task.number < 1 || task.number > (uint64_t)expected)
        wrong_number++;
    else
        seen[task.number]++;
}

static void create(int count)
{
    const int creator = omp_get_thread_num();
    for (int i = 0; i < count; i++) {
        const int64_t before = now_ns(CLOCK_MONOTONIC);
#pragma omp task firstprivate(before, creator)
        check(before, creator);
    }
}

static void create_nested(int count)
{
    const int creator = omp_get_thread_num();
    for (int i = 0; i < count; i += GRAIN) {
        const int64_t before = now_ns(CLOCK_MONOTONIC);
#pragma omp task firstprivate(before, creator)
        {
            const struct ompt_task first = tool->current();
            check(before, creator);
            create(GRAIN - 1);
#pragma omp taskwait
            const struct ompt_task now = tool->current();
            if (now.number != first.number || now.scheduled_ns != first.scheduled_ns)
                changed++;
        }
    }
}

static void work(int threads, int count, const char *way)
{
    const bool all = strcmp(way, "all") == 0, nested = strcmp(way, "nested") == 0;
#pragma omp parallel num_threads(threads)
    {
        if (tool->current().number != 0 || tool->current().creator != -1)
            not_none++;
        if (all || omp_get_thread_num() == threads - 1)
            (nested ? create_nested : create)(count);
    }
}

/* A task created while nothing is recorded. */
static void create_unseen(void)
{
#pragma omp task
    if (tool->current().number != 0)
        not_none++;
#pragma omp taskwait
}

static int report(int round)
{
    int missed = 0;
    for (int i = 1; i <= expected; i++)
        missed += seen[i] != 1;
    const int lost = (int)tool->lost();
    printf("round %d: times %d, creators %d, numbers %d, not once %d, changed %d, unseen %d, "
           "lost %d\n",
           round, wrong_time, wrong_creator, wrong_number, missed, changed, not_none, lost);
    return wrong_time || wrong_creator || wrong_number || missed || changed || not_none || lost;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const int threads = atoi(argv[1]), count = atoi(argv[2]);
    tool = loaded_tool();
    if (!tool)
        return 3;
    printf("%s, lacks %s\n", tool->runtime(), tool->lacks ? tool->lacks : "nothing");
    expected = strcmp(argv[3], "all") == 0 ? threads * count : count;
    int failed = 0;
    for (int round = 1; round <= 2; round++) {
        seen = calloc((size_t)expected + 1, sizeof *seen);
        if (!seen)
            return 3;
        create_unseen();
        tool->record(1);
        work(threads, count, argv[3]);
        tool->record(0);
        create_unseen();
        failed |= report(round);
        free(seen);
    }
    return failed;
}
