/* SPDX-License-Identifier: BSD-3-Clause
 * Jacobi sweeps for Poisson's equation -Δu = f on the unit square, by five-point differences on N × N
 * points: its kernel by tile coordinates, and its variants.
 *
 * Two buffers: sweep s (from 0) reads U, the buffer of the sweep before, and writes V, the other one.
 * U(m,n) and V(m,n) are tiles of them; rows are in direction x, columns in direction y. */
#ifndef POLLUX_BENCHMARKS_JACOBI_JACOBI_H
#define POLLUX_BENCHMARKS_JACOBI_JACOBI_H

#include "common/run/benchmark.h"

extern const struct benchmark jacobi;

/** Indices of the parameters. */
enum { JACOBI_SWEEPS, JACOBI_TIME_TILE };

/** Sweeps of a run. */
size_t jacobi_sweeps(const struct problem *p);

/** Addresses of U(m,n) and V(m,n) of sweep s: what a `depend` clause names. Where m or n is one less or one
 * more than a tile's, it is the address of the boundary values there, which no task writes. */
double *jacobi_old(const struct problem *p, size_t s, size_t m, size_t n);
double *jacobi_new(const struct problem *p, size_t s, size_t m, size_t n);

/* Sweep s: V(m,n) := sweep of U(m,n), which takes points next to it from four other tiles */
void jacobi_sweep(struct problem *p, size_t s, size_t m, size_t n);

/* ---- tiles in time ---- */

/** Sweeps of a time tile: as requested, but at most those of a run and the rows of a tile. */
size_t jacobi_time_tile(const struct problem *p);

/** Rows of tiles in time that begin with sweep s, which are also the columns: they shift by a point in each
 * sweep, so that there may be one more than there are rows of tiles. */
size_t jacobi_wave_tiles(const struct problem *p, size_t s);

/** Address outside the grid that stands for what the tile in time (m, n) writes. Where m or n is one less
 * or one more than such a tile's, no task writes it. */
double *jacobi_wave(const struct problem *p, size_t m, size_t n);

/** That of the tile in time below and right of (m, n); at the end of a direction, that next to (m, n). All
 * tiles in time that overlap (m, n) are ordered before it. */
double *jacobi_wave_next(const struct problem *p, size_t m, size_t n);

/* Sweeps s, s+1 … of a time tile: those of tile (m,n) in the first, and a point further up and to the left
 * in each one after it */
void jacobi_sweep_wave(struct problem *p, size_t s, size_t m, size_t n);

/* ---- task graphs ---- */

void jacobi_seq(struct problem *p);
void jacobi_forkjoin(struct problem *p);
void jacobi_depend(struct problem *p);
void jacobi_lean(struct problem *p);
void jacobi_affinity(struct problem *p);
void jacobi_taskloop(struct problem *p);
void jacobi_wavefront(struct problem *p);

/* ---- functions of the benchmark's description (common/run/benchmark.h) ---- */

int jacobi_create(struct problem *p);
void jacobi_destroy(struct problem *p);
void jacobi_generate(struct problem *p);
/** Bytes that jacobi_verify allocates, or SIZE_MAX. */
size_t jacobi_verify_bytes(const struct problem *p, enum check check);
bool jacobi_verify(struct problem *p, enum check check, struct verification *result);
size_t jacobi_bytes(const struct problem *p);
double jacobi_operations(const struct problem *p);
double jacobi_tasks(const struct problem *p, const struct variant *variant);
size_t jacobi_figures(const struct problem *p, double seconds, struct figure *figures);
void jacobi_coordinates(const struct problem *p, size_t k, const void *object, size_t *i,
                        size_t *j);

#endif
