/* SPDX-License-Identifier: BSD-3-Clause
 * By how much the clock of this rank differs from that of rank 0, before and after a run that is traced: from round trips
 * of a small message, of which the shortest tells most (F. Cristian: Probabilistic clock synchronization, Distributed
 * Computing 3(3), 1989). Between the two the difference is taken to change evenly (J. Doleschal, A. Knüpfer, M. S. Müller,
 * W. E. Nagel: Internal timer synchronization for parallel event tracing, EuroPVM/MPI 2008): docs/traces.md. */
#ifndef POLLUX_BENCHMARKS_MPI_CLOCKS_H
#define POLLUX_BENCHMARKS_MPI_CLOCKS_H

#include <jansson.h>
#include <stdbool.h>

/** Function of struct processes: compares the clocks of all ranks, which call it together. */
void clocks_compare(bool after);

/** What has been found before and after the last run, as a list of two; and a name that all ranks have for it. */
json_t *clocks_describe(void);
const char *clocks_run(void);

#endif
