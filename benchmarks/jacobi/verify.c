/* SPDX-License-Identifier: BSD-3-Clause
 * The sweeps are done again, a column at a time and without tiles, from the same initial values; every point
 * has to have the same bits. */
#include "benchmarks/jacobi/verify.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/jacobi/grid.h"
#include "benchmarks/jacobi/jacobi.h"
#include "common/base/bits.h"
#include "common/base/sizes.h"
#include "kernels/five_point.h"

/* Sweeps done in one pass over the columns: level t of a column is computed as soon as level t - 1 of the
 * column to its right is. */
enum { DEPTH_MAX = 8, BAND_LEAST = 64 };

/* The sweeps from `done` on, as many as `depth`. */
struct pass {
    const struct problem *p;
    size_t done, depth;
    const double *from; /* the grid before, column after column; NULL: the initial values */
    double *to;         /* the grid after; NULL: it is compared with the result */
    size_t wrong;       /* points that differ */
    bool no_memory;
};

/* The columns [first, end) of a grid; before the last level, more to either side are needed. */
struct band {
    size_t first, end;
    double *levels; /* the latest three columns of each level */
};

static double *level_column(const struct pass *pass, const struct band *band, size_t level,
                            size_t column)
{
    return band->levels + (3 * level + column % 3) * pass->p->n;
}

static void load_column(const struct pass *pass, size_t column, double *values)
{
    size_t n = pass->p->n;
    if (pass->from)
        memcpy(values, pass->from + column * n, n * sizeof *values);
    else
        grid_initial_column(pass->p, column, values);
}

static void sweep_column(const struct pass *pass, const struct band *band, size_t level,
                         size_t column)
{
    const struct grid *g = grid_of(pass->p);
    size_t n = pass->p->n;
    double scale = grid_b_scale(n);
    const double *u = level_column(pass, band, level - 1, column);
    const double *west = column > 0 ? level_column(pass, band, level - 1, column - 1) : g->west;
    const double *east = column + 1 < n ? level_column(pass, band, level - 1, column + 1) : g->east;
    double *v = level_column(pass, band, level, column);
    for (size_t i = 0; i < n; i++)
        v[i] = five_point_value(i > 0 ? u[i - 1] : g->north[column],
                                i + 1 < n ? u[i + 1] : g->south[column], west[i], east[i],
                                grid_b(g, scale, i, column));
}

static size_t different_bits(const double *a, const double *b, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++)
        different += bits_of(a[i]) != bits_of(b[i]);
    return different;
}

static size_t compare_column(const struct problem *p, size_t column, const double *expected)
{
    size_t different = 0;
    for (size_t i = 0; i < p->A->mt; i++)
        different += different_bits(grid_result_column(p, i, column), expected + i * p->A->mb,
                                    tile_rows(p->A, i));
    return different;
}

static void finish_column(struct pass *pass, const struct band *band, size_t column)
{
    size_t n = pass->p->n;
    const double *values = level_column(pass, band, pass->depth, column);
    if (pass->to) {
        memcpy(pass->to + column * n, values, n * sizeof *values);
        return;
    }
    size_t wrong = compare_column(pass->p, column, values);
#pragma omp atomic
    pass->wrong += wrong;
}

static void run_band(struct pass *pass, const struct band *band)
{
    size_t n = pass->p->n, depth = pass->depth;
    size_t start = band->first > depth ? band->first - depth : 0;
    size_t stop = smaller(band->end + depth, n) + depth;
    for (size_t c = start; c < stop; c++)
        for (size_t level = 0; level <= depth && level <= c; level++) {
            size_t column = c - level, margin = depth - level;
            if (column + margin < band->first || column >= smaller(band->end + margin, n))
                continue;
            if (level == 0)
                load_column(pass, column, level_column(pass, band, 0, column));
            else
                sweep_column(pass, band, level, column);
            if (level == depth)
                finish_column(pass, band, column);
        }
}

static void run_pass(struct pass *pass)
{
    size_t n = pass->p->n, threads = pass->p->threads;
    size_t bands = smaller(threads, ceiling(n, BAND_LEAST)), width = ceiling(n, bands);
#pragma omp parallel for schedule(static) num_threads((int)threads)
    for (size_t i = 0; i < bands; i++) {
        struct band band = {i * width, smaller((i + 1) * width, n), NULL};
        band.levels = malloc(3 * (pass->depth + 1) * n * sizeof(double));
        if (band.levels && band.first < n) {
            run_band(pass, &band);
        } else if (!band.levels) {
#pragma omp atomic write
            pass->no_memory = true;
        }
        free(band.levels);
    }
}

/* Bytes of the grids between passes, of which there are none if one pass is enough. */
static size_t grid_bytes(const struct problem *p)
{
    size_t points, bytes;
    if (jacobi_sweeps(p) <= DEPTH_MAX)
        return 0;
    if (__builtin_mul_overflow(p->n, p->n, &points) ||
        __builtin_mul_overflow(points, sizeof(double), &bytes))
        return SIZE_MAX;
    return bytes;
}

size_t jacobi_verify_bytes(const struct problem *p, enum check check)
{
    (void)check; /* the same for each */
    size_t levels = (size_t)3 * (DEPTH_MAX + 1) * p->n * sizeof(double) * p->threads, bytes;
    size_t grid = grid_bytes(p);
    if (grid > SIZE_MAX / 2 || __builtin_add_overflow(2 * grid, levels, &bytes))
        return SIZE_MAX;
    return bytes;
}

/* The points whose bits differ from those of sequential sweeps. */
static size_t wrong_points(const struct problem *p, bool *no_memory)
{
    size_t sweeps = jacobi_sweeps(p), bytes = grid_bytes(p);
    double *grids[2] = {bytes ? malloc(bytes) : NULL, bytes ? malloc(bytes) : NULL};
    struct pass pass = {.p = p, .no_memory = bytes && !(grids[0] && grids[1])};
    for (size_t k = 0; pass.done < sweeps && !pass.no_memory; k++) {
        pass.depth = smaller(DEPTH_MAX, sweeps - pass.done);
        pass.from = pass.done > 0 ? grids[(k + 1) % 2] : NULL;
        pass.to = pass.done + pass.depth < sweeps ? grids[k % 2] : NULL;
        run_pass(&pass);
        pass.done += pass.depth;
    }
    free(grids[0]);
    free(grids[1]);
    *no_memory = pass.no_memory;
    return pass.wrong;
}

static const double MODES_THRESHOLD = 30.0;

/* Both checks look at every point, and cost about as much as the run: `fast` and `full` are the same. */
bool jacobi_verify(struct problem *p, enum check check, struct verification *result)
{
    (void)check;
    double deviation;
    bool no_memory;
    size_t wrong = wrong_points(p, &no_memory);
    if (no_memory || !verify_modes(p, &deviation))
        return false;
    verification_add(result, "WRONG-POINTS", (double)wrong, 0.0);
    verification_add(result, "MODES", deviation, MODES_THRESHOLD);
    return true;
}
