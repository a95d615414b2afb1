/* SPDX-License-Identifier: BSD-3-Clause
 * Another micro-benchmark with MPI present: what its mere presence costs the threads. The program is the same, with
 * options more. */
#ifndef POLLUX_MICRO_MPI_PRESENCE_H
#define POLLUX_MICRO_MPI_PRESENCE_H

#include "common/driver/program.h"

struct presence {
    const struct program *base;
    const char *name, *summary, *example;
    /** Lets a point of it send messages (clomp_send_at_deposits). NULL: it never does. */
    void (*send)(void *bench, void (*message)(size_t number));
};

/** All of main. @return the exit status */
int presence_main(const struct presence *presence, int argc, char **argv);

#endif
