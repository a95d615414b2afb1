/* SPDX-License-Identifier: BSD-3-Clause
 * What the variants need of MPI and of the team. */
#include "benchmarks/mpi/methods.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "benchmarks/mpi/clocks.h"
#include "benchmarks/mpi/runtime.h"
#include "benchmarks/mpi/traced.h"
#include "common/base/sizes.h"

static const struct method *const methods[] = {
    &exchange_funneled, &exchange_taskyield, &exchange_blocking,
#ifdef POLLUX_HAVE_DETACH
    &exchange_detach,
#endif
#ifdef POLLUX_HAVE_MPI_DETACH
    &exchange_callback,
#endif
};

const struct method *method_find(const char *name)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i]->name, name) == 0)
            return methods[i];
    return NULL;
}

static bool begin(const struct variant *const *variants)
{
    int level = MPI_THREAD_FUNNELED;
    for (; *variants; variants++) {
        const struct method *method = method_find((*variants)->name);
        if (method && method->level > level)
            level = method->level;
    }
    return world_begin(level, world_lower_variant);
}

/* Whether idle threads of the team go to sleep, and stay asleep when tasks are created: those of libomp and its relatives
 * do, unless they wait actively. */
static bool threads_stay_asleep(void)
{
    return runtime_is_libomp() && runtime_blocktime() != INT_MAX;
}

/* Whether a task that is run at its creation waits there for its event: libgomp runs it so where more than 64 tasks for
 * each thread are not complete. */
static bool events_are_waited_for(void)
{
    return !runtime_is_libomp();
}

bool method_can_run(const struct method *method, size_t threads, char *reason, size_t size)
{
    if (threads < method->threads)
        snprintf(reason, size, "needs %zu threads on each rank, and has %zu: %s", method->threads,
                 threads, method->why);
    else if (method->detached && threads == 1 && events_are_waited_for())
        snprintf(reason, size,
                 "needs 2 threads on each rank with this runtime, and has 1: a detached task that "
                 "it runs at its creation waits there for its message, while nobody computes");
    else if (method->awake && threads_stay_asleep())
        snprintf(reason, size,
                 "needs threads that stay awake, since those that sleep are not woken where all "
                 "others wait for messages: set OMP_WAIT_POLICY=active");
    else
        return true;
    return false;
}

/* Before MPI begins that is not known. */
static bool is_alone(void)
{
    int begun;
    MPI_Initialized(&begun);
    return begun && world()->ranks == 1;
}

static bool can_run(const struct variant *variant, size_t threads, char *reason, size_t size)
{
    const struct method *method = method_find(variant->name);
    return !method || is_alone() || method_can_run(method, threads, reason, size);
}

static void prepare(struct problem *p, const struct variant *variant)
{
    exchange_create(p, method_find(variant->name));
}

static const char *const axes[] = {"grid", NULL};

const struct processes mpi_processes = {.options = world_options,
                                        .axes = axes,
                                        .take_option = world_take_option,
                                        .before = world_before,
                                        .begin = begin,
                                        .end = world_end,
                                        .can_run = can_run,
                                        .prepare = prepare,
                                        .finish = exchange_destroy,
                                        .conclude = spread_conclude,
                                        .describe = spread_describe,
                                        .own_file = world_own_file,
                                        .is_own_file = world_is_own_file,
                                        .locate = spread_locate,
                                        .compare_clocks = clocks_compare,
                                        .describe_trace = traced_describe,
                                        .trace_messages = traced_messages};
