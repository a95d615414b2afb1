/* SPDX-License-Identifier: BSD-3-Clause
 * The task graphs of the factorizations, with kernels that compute nothing. The benchmarks' own sources create the
 * tasks: the files of these patterns include them, with other names for the kernels that they call. What such a
 * kernel touches is stated here by tiles, and the order that the tasks must keep follows from that alone, in the
 * order of the sequential algorithm (conflicts.h). */
#ifndef POLLUX_MICRO_ALGORITHM_H
#define POLLUX_MICRO_ALGORITHM_H

#include <stdbool.h>
#include <stddef.h>

struct problem;

/** What distinguishes the factorizations. */
struct algorithm {
    const char *variant;           /**< the benchmark's */
    const char *concurrent_write;  /**< the clause that expresses it; NULL: there is none */
    size_t (*tasks)(size_t tiles); /**< of a matrix of so many rows and columns of tiles */
    void (*submit)(struct problem *problem);
    void (*sequential)(struct problem *problem); /**< calls the kernels in the order of `submit` */
    bool columns;                                /**< each column of tiles has a stand-in */
    bool reflectors;                             /**< each tile has a factor T */
    bool updates_take_turns; /**< those of a column, though they touch different tiles */
};

extern const struct algorithm cholesky_algorithm, lu_algorithm, lu_cw_algorithm, qr_algorithm;

/* What follows is called by the graphs and their kernels. */

/** The addresses that stand for a column with so many before it, counting column -1; and for T(m,n). */
double *stand_in(const struct problem *p, size_t before);
double *reflector(const struct problem *p, size_t m, size_t n);

/** Begins the task of step k that is distinguished from the others of the step by m and n; these may be the number
 * of tiles too.
 * @return whether the order is being defined: then the task must state what it touches */
bool begin_task(struct problem *p, size_t k, size_t m, size_t n);

/** The task that was begun last reads, or writes, tile A(m,n); the tiles from there down in the column; the pivots
 * of a step; T(m,n). */
void reads_tile(struct problem *p, size_t m, size_t n);
void writes_tile(struct problem *p, size_t m, size_t n);
void writes_column(struct problem *p, size_t m, size_t n);
void reads_pivots(struct problem *p, size_t k);
void writes_pivots(struct problem *p, size_t k);
void reads_reflector(struct problem *p, size_t m, size_t n);
void writes_reflector(struct problem *p, size_t m, size_t n);

/** It updates a tile of column n, in turn with others of the column where the algorithm has it so. */
void updates_column(struct problem *p, size_t n);

#endif
