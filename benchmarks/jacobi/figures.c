/* SPDX-License-Identifier: BSD-3-Clause
 * Operations, memory, and the rate at which bytes moved beside that of a triad on the same memory. */
#include <stdint.h>

#include "benchmarks/jacobi/grid.h"
#include "benchmarks/jacobi/jacobi.h"
#include "common/base/clock.h"
#include "common/base/sizes.h"
#include "kernels/five_point.h"

double jacobi_operations(const struct problem *p)
{
    return (double)FIVE_POINT_FLOPS * (double)p->n * (double)p->n * (double)jacobi_sweeps(p);
}

double jacobi_tasks(const struct problem *p, const struct variant *variant)
{
    size_t nb = smaller(p->nb, p->n), sweeps = jacobi_sweeps(p), shift = 0;
    if (variant->submit == jacobi_wavefront)
        shift = smaller(smaller(p->parameters[JACOBI_TIME_TILE], sweeps), nb) - 1;
    double tiles = (double)ceiling(p->n + shift, nb);
    return (double)sweeps * tiles * tiles;
}

size_t jacobi_bytes(const struct problem *p)
{
    return saturating_multiply(tile_matrix_bytes(p->n, p->n, p->nb, p->nb), 3);
}

/* A sweep reads u and b and writes v, 8 bytes each for every point, as does a triad. */
static double bytes_of_a_sweep(const struct problem *p)
{
    return 3.0 * sizeof(double) * (double)p->n * (double)p->n;
}

/* v := u + b / 2 */
static void triad_tile(struct tile u, struct tile b, struct tile v)
{
    for (size_t j = 0; j < v.cols; j++) {
        const double *restrict uj = u.a + j * u.ld, *restrict bj = b.a + j * b.ld;
        double *restrict vj = v.a + j * v.ld;
        for (size_t i = 0; i < v.rows; i++)
            vj[i] = uj[i] + 0.5 * bj[i];
    }
}

enum { TRIADS = 4 };

/* Bytes per second of the best of a few triads. They write to the buffer that holds no result. */
static double measure_triad(const struct problem *p)
{
    const struct grid *g = grid_of(p);
    const struct tile_matrix *result = grid_buffer(p, jacobi_sweeps(p));
    const struct tile_matrix *other = grid_buffer(p, jacobi_sweeps(p) + 1);
    int64_t best = INT64_MAX;
    for (int repetition = 0; repetition < TRIADS; repetition++) {
        int64_t start = now_ns(CLOCK_MONOTONIC);
#pragma omp parallel for collapse(2) schedule(static) num_threads((int)p->threads)
        for (size_t j = 0; j < other->nt; j++)
            for (size_t i = 0; i < other->mt; i++)
                triad_tile(tile_at(result, i, j), tile_at(g->b, i, j), tile_at(other, i, j));
        int64_t time = now_ns(CLOCK_MONOTONIC) - start;
        best = time < best ? time : best;
    }
    return bytes_of_a_sweep(p) / (1e-9 * (double)best);
}

size_t jacobi_figures(const struct problem *p, double seconds, struct figure *figures)
{
    struct grid *g = grid_of(p);
    if (g->stream_rate == 0.0)
        g->stream_rate = measure_triad(p);
    double gbytes = 1e-9 * bytes_of_a_sweep(p) * (double)jacobi_sweeps(p);
    figures[0] = (struct figure){"gbytes", gbytes};
    figures[1] = (struct figure){"gbytes_per_second", gbytes / seconds};
    figures[2] = (struct figure){"stream_gbytes_per_second", 1e-9 * g->stream_rate};
    figures[3] = (struct figure){"time_tile", (double)g->time_tile};
    return g->time_tile > 0 ? 4 : 3;
}

void jacobi_coordinates(const struct problem *p, size_t k, const void *object, size_t *i, size_t *j)
{
    const struct grid *g = grid_of(p);
    (void)k;
    if (tile_matrix_locate(g->u[1], object, i, j))
        return;
    size_t columns = p->A->nt + WAVE_BORDER;
    size_t offset = (size_t)((const double *)object - g->waves);
    *i = offset % columns - 1;
    *j = offset / columns - 1;
}
