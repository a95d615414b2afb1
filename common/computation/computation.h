/* SPDX-License-Identifier: BSD-3-Clause
 * All of main: a benchmark's executable does nothing else. */
#ifndef POLLUX_COMPUTATION_H
#define POLLUX_COMPUTATION_H

#include "common/run/benchmark.h"

/** The whole program: options, identity, runs, records.
 * @return the exit status of main */
int drive(const struct benchmark *benchmark, int argc, char **argv);

#endif
