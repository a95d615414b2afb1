/* SPDX-License-Identifier: BSD-3-Clause
 * QR over ranks of MPI: the kernels of qr/ and its trees. Each task is on the rank of the lower of the two rows of
 * tiles that it combines, to which those of the upper one come. */
#ifndef POLLUX_BENCHMARKS_MPI_QR_MPI_H
#define POLLUX_BENCHMARKS_MPI_QR_MPI_H

#include "common/run/benchmark.h"

extern const struct benchmark qr_mpi;

/** Companions of the matrix. */
enum { QR_MPI_T, QR_MPI_S };

/** Creates the tasks of this rank. */
void qr_mpi_tasks(struct problem *p);

#endif
