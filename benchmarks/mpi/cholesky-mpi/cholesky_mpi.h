/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky over ranks of MPI: the kernels and the right-looking graph of cholesky/, each task on the rank on which the
 * tile lives that it writes. */
#ifndef POLLUX_BENCHMARKS_MPI_CHOLESKY_MPI_H
#define POLLUX_BENCHMARKS_MPI_CHOLESKY_MPI_H

#include "common/run/benchmark.h"

extern const struct benchmark cholesky_mpi;

/** Creates the tasks of this rank. */
void cholesky_mpi_tasks(struct problem *p);

#endif
