/* SPDX-License-Identifier: BSD-3-Clause
 * LU over ranks of MPI: the kernels and graphs of lu/, each task on the rank on which the tile lives that it writes. With
 * partial pivoting a panel is factored on the rank of the diagonal. */
#ifndef POLLUX_BENCHMARKS_MPI_LU_MPI_H
#define POLLUX_BENCHMARKS_MPI_LU_MPI_H

#include "lu/lu.h"

extern const struct benchmark lu_mpi;

/** Create the tasks of this rank. */
void lu_mpi_nopiv_tasks(struct problem *p);
void lu_mpi_partial_tasks(struct problem *p);

/** The pivots of step k; their first is what tasks name. */
int *lu_mpi_pivots(const struct problem *p, size_t k);

/** lu_getrf, whose pivots other ranks can use even if it fails. */
void lu_mpi_getrf(struct problem *p, size_t k);

/** lu_laswp_behind, and lu_laswp_part, or lu_laswp where the whole column is on one rank. Pivots that are no rows end all
 * ranks. */
void lu_mpi_laswp_behind(struct problem *p, size_t n);
void lu_mpi_laswp(struct problem *p, size_t k, size_t n, struct laswp_part part);

#endif
