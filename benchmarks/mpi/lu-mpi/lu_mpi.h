/* SPDX-License-Identifier: BSD-3-Clause
 * LU over ranks of MPI: the kernels and graphs of lu/, each task on the rank on which the tile lives that it writes. With
 * partial pivoting a panel is factored on the rank of the diagonal, or by all on which its tiles live. */
#ifndef POLLUX_BENCHMARKS_MPI_LU_MPI_H
#define POLLUX_BENCHMARKS_MPI_LU_MPI_H

#include "lu/lu.h"

extern const struct benchmark lu_mpi;

/** Create the tasks of this rank. */
void lu_mpi_nopiv_tasks(struct problem *p);
void lu_mpi_partial_tasks(struct problem *p);
void lu_mpi_spread_tasks(struct problem *p);

/** Creates the tasks of panel k of the ranks on which it lives. Called by all ranks. */
void lu_mpi_panel_spread(struct problem *p, size_t k);
/** Their messages on this rank. */
size_t lu_mpi_panel_messages(const struct tile_matrix *A);

/** The pivots of step k; their first is what tasks name. */
int *lu_mpi_pivots(const struct problem *p, size_t k);

/** lu_getrf, whose pivots other ranks can use even if it fails. */
void lu_mpi_getrf(struct problem *p, size_t k);

/** kernel_panel_pivot and kernel_panel_column, as to failures and pivots that are no rows like lu_mpi_getrf and the
 * exchanges. */
void lu_mpi_panel_pivot(struct problem *p, struct spread_panel panel, size_t column);
void lu_mpi_panel_column(struct problem *p, struct spread_panel panel, size_t column);

/** lu_laswp_behind, and lu_laswp_part, or lu_laswp where the whole column is on one rank. Pivots that are no rows end all
 * ranks. */
void lu_mpi_laswp_behind(struct problem *p, size_t n);
void lu_mpi_laswp(struct problem *p, size_t k, size_t n, struct laswp_part part);

#endif
