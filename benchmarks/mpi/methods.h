/* SPDX-License-Identifier: BSD-3-Clause
 * The communication variants as the driver sees them: what all programs over MPI have in their descriptions. */
#ifndef POLLUX_BENCHMARKS_MPI_METHODS_H
#define POLLUX_BENCHMARKS_MPI_METHODS_H

#include "benchmarks/mpi/exchange.h"
#include "common/run/processes.h"

extern const struct processes mpi_processes;

/** A communication variant by its name; NULL where this build lacks it. */
const struct method *method_find(const char *name);

/** Why a variant cannot run with so many threads on each of several ranks, as "needs …"; `reason` is left as it is where
 * it can.
 * @return whether it can */
bool method_can_run(const struct method *method, size_t threads, char *reason, size_t size);

/** `submit` of the variants that not every build has. */
#ifdef POLLUX_HAVE_DETACH
#define RUN_DETACH exchange_run
#else
#define RUN_DETACH NULL
#endif

#ifdef POLLUX_HAVE_MPI_DETACH
#define RUN_CALLBACK exchange_run
#else
#define RUN_CALLBACK NULL
#endif

/** The rows of a table of variants whose results have this group and are of this input. */
#define MPI_VARIANTS(group, kind) \
    {.name = "funneled", \
     .summary = "tasks and messages in turns, by one thread", \
     .digest_group = (group), \
     .input = (kind), \
     .own_team = true, \
     .submit = exchange_run}, \
        {.name = "detach", \
         .summary = "a message is a detached task, complete when its event is fulfilled", \
         .needs = CAPABILITY_DETACH, \
         .digest_group = (group), \
         .input = (kind), \
         .own_team = true, \
         .submit = RUN_DETACH}, \
        {.name = "callback", \
         .summary = "a detached task, whose event is fulfilled by a callback of MPI Detach", \
         .needs = CAPABILITY_DETACH, \
         .library = "MPI Detach", \
         .digest_group = (group), \
         .input = (kind), \
         .own_team = true, \
         .submit = RUN_CALLBACK}, \
        {.name = "taskyield", \
         .summary = "the creating thread tests messages and yields to tasks", \
         .digest_group = (group), \
         .input = (kind), \
         .own_team = true, \
         .submit = exchange_run}, \
    { \
        .name = "blocking", .summary = "MPI_Send and MPI_Recv inside tasks", \
        .digest_group = (group), .input = (kind), .own_team = true, .submit = exchange_run \
    }

enum { MPI_VARIANT_COUNT = 5 };

#endif
