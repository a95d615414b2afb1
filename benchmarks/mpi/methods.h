/* SPDX-License-Identifier: BSD-3-Clause
 * The communication variants as the driver sees them: what all programs over MPI have in their descriptions. */
#ifndef POLLUX_BENCHMARKS_MPI_METHODS_H
#define POLLUX_BENCHMARKS_MPI_METHODS_H

#include "benchmarks/mpi/exchange.h"
#include "common/run/processes.h"

extern const struct processes mpi_processes;

#endif
