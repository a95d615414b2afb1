/* SPDX-License-Identifier: BSD-3-Clause
 * Micro-benchmarks that are run by several ranks of MPI: all of them execute the same plan, and rank 0 reports. */
#ifndef POLLUX_MICRO_MPI_RANKS_H
#define POLLUX_MICRO_MPI_RANKS_H

#include "benchmarks/mpi/world.h"
#include "common/driver/program.h"

/** Initialises MPI at this thread level (MPI_THREAD_…), as world_begin does. To be called by `begin` of the program,
 * whose `end` calls world_end. */
void ranks_begin(int level, const char *remedy, struct program_options *options);

/** What this rank sent in a repetition. */
struct sent {
    uint64_t messages, bytes;
};

/** Makes a repetition that of all ranks: it has failed where it has on one of them, and its record says what they
 * sent. To be called by all ranks, after MPI is in no other use. */
void ranks_conclude(struct result *result, struct sent sent);

#endif
