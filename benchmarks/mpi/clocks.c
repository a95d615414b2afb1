/* SPDX-License-Identifier: BSD-3-Clause
 * Rank 0 answers each of the others in turn with its time. The answer was written between two readings of the other's
 * clock: at its middle, up to half of the round trip earlier or later. */
#include "benchmarks/mpi/clocks.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/mpi/world.h"
#include "common/base/clock.h"

enum { ROUND_TRIPS = 200, TAG = 0, NAME_SIZE = 48 };

/* Rank 0's clock less that of this rank. */
struct difference {
    int64_t at_ns; /* by this rank's clock */
    int64_t offset_ns, error_ns;
};

/* As the world of a process, its clock is one. */
static struct difference before, after_it;
static char name[NAME_SIZE];

static void answer(int peer)
{
    for (int trip = 0; trip < ROUND_TRIPS; trip++) {
        int64_t time;
        MPI_Recv(&time, 1, MPI_INT64_T, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        time = now_ns(CLOCK_MONOTONIC);
        MPI_Send(&time, 1, MPI_INT64_T, peer, TAG, MPI_COMM_WORLD);
    }
}

static struct difference ask_once(void)
{
    int64_t theirs = 0, begin = now_ns(CLOCK_MONOTONIC);
    MPI_Sendrecv_replace(&theirs, 1, MPI_INT64_T, 0, TAG, 0, TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    int64_t end = now_ns(CLOCK_MONOTONIC), middle = begin + (end - begin) / 2;
    return (struct difference){middle, theirs - middle, (end - begin + 1) / 2};
}

static struct difference ask(void)
{
    struct difference best = ask_once();
    for (int trip = 1; trip < ROUND_TRIPS; trip++) {
        struct difference found = ask_once();
        if (found.error_ns < best.error_ns)
            best = found;
    }
    return best;
}

static void name_run(void)
{
    snprintf(name, sizeof name, "%" PRIx64 "-%lx", (uint64_t)now_ns(CLOCK_REALTIME),
             (unsigned long)getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
}

void clocks_compare(bool after)
{
    struct difference *found = after ? &after_it : &before;
    if (!after)
        name_run();
    *found = (struct difference){.at_ns = now_ns(CLOCK_MONOTONIC)};
    for (int rank = 1; rank < world()->ranks; rank++) {
        if (world()->rank == 0)
            answer(rank);
        else if (world()->rank == rank)
            *found = ask();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static json_t *describe(const struct difference *d)
{
    return json_pack("{s:I, s:I, s:I}", "at_ns", (json_int_t)d->at_ns, "offset_ns",
                     (json_int_t)d->offset_ns, "error_ns", (json_int_t)d->error_ns);
}

json_t *clocks_describe(void)
{
    return json_pack("[o, o]", describe(&before), describe(&after_it));
}

const char *clocks_run(void)
{
    return name;
}
