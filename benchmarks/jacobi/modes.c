/* SPDX-License-Identifier: BSD-3-Clause
 * sin(kπx) sin(lπy) on the grid is an eigenvector of a sweep: Saad, "Iterative Methods for Sparse Linear
 * Systems", 2nd edition, SIAM 2003, section 13.2. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/jacobi/grid.h"
#include "benchmarks/jacobi/jacobi.h"
#include "benchmarks/jacobi/verify.h"
#include "common/base/random.h"
#include "common/base/sizes.h"

enum { MODES = 4 };

/* sin(kπx) sin(lπy), its factors at every row and column, and the error's component along it. */
struct mode {
    size_t k, l;
    double *rows, *columns;
    double before, after, magnitude; /* sums over the grid, the last one of its absolute values */
};

/* Number m of a seed, from 1 to n. */
static size_t random_wave(uint64_t seed, size_t m, size_t n)
{
    return (size_t)(random_bits(seed, m) % n) + 1;
}

/* The first is that of the right-hand side, which no other one contains. */
static void choose_mode(struct mode *mode, const struct problem *p, size_t m)
{
    size_t n = p->n;
    mode->k = m == 0 ? smaller(WAVES_X, n) : random_wave(p->input.seed, 2 * m, n);
    mode->l = m == 0 ? smaller(WAVES_Y, n) : random_wave(p->input.seed, 2 * m + 1, n);
    double rows = 0.0, columns = 0.0;
    for (size_t i = 0; i < n; i++) {
        mode->rows[i] = grid_sine(mode->k, i + 1, n);
        mode->columns[i] = grid_sine(mode->l, i + 1, n);
        rows += fabs(mode->rows[i]);
        columns += fabs(mode->columns[i]);
    }
    mode->magnitude = rows * columns;
}

/* The run's error: what is left of a column when the solution of the discrete equations is subtracted. Nothing
 * that the run used is used here. */
struct projection {
    const struct problem *p;
    double *wave_x; /* the wave of the solution at every row */
    struct mode modes[MODES];
    bool no_memory;
};

static void subtract_solution(const struct projection *all, size_t column, double *values)
{
    size_t n = all->p->n;
    double h = 1.0 / (double)(n + 1), y = (double)(column + 1) * h;
    double wave = grid_amplification(n) * grid_sine(WAVES_Y, column + 1, n);
    for (size_t i = 0; i < n; i++)
        values[i] -= wave * all->wave_x[i] + grid_harmonic((double)(i + 1) * h, y);
}

static double dot(const double *x, const double *y, size_t count)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t l = 0; l < 4; l++)
            sum[l] += x[i + l] * y[i + l];
    for (; i < count; i++)
        sum[0] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Adds a column of the error before and after the run to all components. */
static void project_column(struct projection *all, size_t column, double *values)
{
    const struct problem *p = all->p;
    struct mode *modes = all->modes;
    for (int after = 0; after < 2; after++) {
        if (after)
            for (size_t i = 0; i < p->A->mt; i++)
                memcpy(values + i * p->A->mb, grid_result_column(p, i, column),
                       tile_rows(p->A, i) * sizeof *values);
        else
            grid_initial_column(p, column, values);
        subtract_solution(all, column, values);
        for (size_t m = 0; m < MODES; m++) {
            double part = modes[m].columns[column] * dot(modes[m].rows, values, p->n);
            double *sum = after ? &modes[m].after : &modes[m].before;
#pragma omp atomic
            *sum += part;
        }
    }
}

static void project(struct projection *all)
{
    size_t n = all->p->n;
#pragma omp parallel num_threads((int)all->p->threads) shared(all, n)
    {
        double *values = malloc(n * sizeof *values);
        if (!values) {
#pragma omp atomic write
            all->no_memory = true;
        }
#pragma omp for schedule(static)
        for (size_t column = 0; column < n; column++)
            if (values)
                project_column(all, column, values);
        free(values);
    }
}

/* The largest deviation from what the eigenvalues say, over ε (N + sweeps) times the sum of |component|.
 * Points and solutions are at most about 2. So the sweeps' roundings add up to less than 4 of these units,
 * and those of the sums to less than 10 (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd
 * edition, SIAM 2002, section 3.1). */
static double largest_deviation(const struct problem *p, const struct mode *modes)
{
    double sweeps = (double)jacobi_sweeps(p), worst = 0.0;
    for (size_t m = 0; m < MODES; m++) {
        double factor = pow(grid_eigenvalue(modes[m].k, modes[m].l, p->n), sweeps);
        double unit = DBL_EPSILON * ((double)p->n + sweeps) * modes[m].magnitude;
        double deviation = fabs(modes[m].after - factor * modes[m].before) / unit;
        if (isnan(deviation))
            return deviation;
        worst = deviation > worst ? deviation : worst;
    }
    return worst;
}

bool verify_modes(const struct problem *p, double *deviation)
{
    size_t n = p->n;
    struct projection all = {.p = p};
    double *lines = malloc((2 * MODES + 1) * n * sizeof *lines);
    if (!lines)
        return false;
    all.wave_x = lines;
    for (size_t i = 0; i < n; i++)
        all.wave_x[i] = grid_sine(WAVES_X, i + 1, n);
    for (size_t m = 0; m < MODES; m++) {
        all.modes[m].rows = lines + (2 * m + 1) * n;
        all.modes[m].columns = all.modes[m].rows + n;
        choose_mode(&all.modes[m], p, m);
    }
    project(&all);
    *deviation = largest_deviation(p, all.modes);
    free(lines);
    return !all.no_memory;
}
