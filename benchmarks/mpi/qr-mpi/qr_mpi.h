/* SPDX-License-Identifier: BSD-3-Clause
 * QR over ranks of MPI: the kernels of qr/ and its flat tree, each task on the rank on which the column lives that it
 * writes. The grid is one row of ranks, since the tree goes down a column. */
#ifndef POLLUX_BENCHMARKS_MPI_QR_MPI_H
#define POLLUX_BENCHMARKS_MPI_QR_MPI_H

#include "common/run/benchmark.h"

extern const struct benchmark qr_mpi;

/** Creates the tasks of this rank. */
void qr_mpi_tasks(struct problem *p);

#endif
