/* SPDX-License-Identifier: BSD-3-Clause
 * LU over ranks of MPI: the kernels and graphs of lu/, each task on the rank on which the tile lives that it writes. With
 * partial pivoting the grid is one row of ranks, so that a panel, and a column whose rows are exchanged, is on one rank. */
#ifndef POLLUX_BENCHMARKS_MPI_LU_MPI_H
#define POLLUX_BENCHMARKS_MPI_LU_MPI_H

#include "common/run/benchmark.h"

extern const struct benchmark lu_mpi;

/** Create the tasks of this rank. */
void lu_mpi_nopiv_tasks(struct problem *p);
void lu_mpi_partial_tasks(struct problem *p);

/** The row exchanges left of the panels, when all else is complete. */
void lu_mpi_last_exchanges(struct problem *p);

/** The pivots of step k; their first is what tasks name. */
int *lu_mpi_pivots(const struct problem *p, size_t k);

#endif
