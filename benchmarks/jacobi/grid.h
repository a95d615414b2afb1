/* SPDX-License-Identifier: BSD-3-Clause
 * What Jacobi stores, and the equation that it solves.
 *
 * The solution is u(x, y) = sin(πx) sin(2πy) + p(x, y) with the harmonic polynomial p = x² - y² + xy, so
 * f = 5π² sin(πx) sin(2πy), and u = p on the boundary. Row i of the grid is at x = (i + 1) h and column j at
 * y = (j + 1) h, h = 1 / (N + 1).
 *
 * Five-point differences of p vanish as its derivatives do, and sin(kπx) sin(lπy) on the grid is an
 * eigenvector of a sweep. So the solution of the discrete equations is known as well: it is
 * grid_amplification() sin(πx) sin(2πy) + p. */
#ifndef POLLUX_BENCHMARKS_JACOBI_GRID_H
#define POLLUX_BENCHMARKS_JACOBI_GRID_H

#include "common/run/benchmark.h"

/** Numbers of half waves of the solution in directions x and y. */
enum { WAVES_X = 1, WAVES_Y = 2 };

/** Stand-ins for tiles in time are one more than there are tiles, and one at each end. */
enum { WAVE_BORDER = 3 };

/** What the benchmark adds to a problem. */
struct grid {
    struct tile_matrix
        *u[2]; /**< the buffers; u[0] is the problem's A, and holds the initial values */
    struct tile_matrix *b;   /**< h² f */
    double *west, *east;     /**< values left of the first column and right of the last one */
    double *north, *south;   /**< values above the first row and below the last one */
    double *sine_x, *sine_y; /**< sin(πx) of every row and sin(2πy) of every column */
    double *waves;           /**< a stand-in for each tile in time, and a border (jacobi_wave) */
    double stream_rate; /**< bytes per second of a triad on these buffers; 0: not measured yet */
    size_t time_tile;   /**< sweeps of a time tile of the last run; 0: there was none */
};

static inline struct grid *grid_of(const struct problem *p)
{
    return (struct grid *)p->factors; /* the tests are C++ */
}

/** The buffer that a sweep reads; sweep s + 1 reads what sweep s writes. */
static inline struct tile_matrix *grid_buffer(const struct problem *p, size_t s)
{
    return grid_of(p)->u[s % 2];
}

/** sin(πx), 0 <= x <= 1, by additions and multiplications only: the same bits on every machine. */
double sine_of_pi(double x);

/** sin(kπ i / (n + 1)) for whole numbers. */
double grid_sine(size_t k, size_t i, size_t n);

/** The harmonic polynomial p. */
double grid_harmonic(double x, double y);

/** Factor by which the discrete solution exceeds the wave sin(πx) sin(2πy) of the solution: 1 + O(h²). */
double grid_amplification(size_t n);

/** Factor by which one sweep multiplies the error sin(kπx) sin(lπy): its eigenvalue. */
double grid_eigenvalue(size_t k, size_t l, size_t n);

/** A column of the initial values: random, from the seed of the problem's input. */
void grid_initial_column(const struct problem *p, size_t column, double *values);

/** The first point of the part of a column of the result that row i of tiles holds. */
const double *grid_result_column(const struct problem *p, size_t i, size_t column);

/** Element (i, j) of b. */
static inline double grid_b(const struct grid *g, double scale, size_t i, size_t j)
{
    return scale * (g->sine_x[i] * g->sine_y[j]);
}

/** The factor `scale` of grid_b: h² 5π². */
double grid_b_scale(size_t n);

#endif
