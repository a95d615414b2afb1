/* SPDX-License-Identifier: BSD-3-Clause
 * Allocation, input, and columns of the grid. The initial values are random, so that a tile that is wrong anywhere
 * shows. */
#include "benchmarks/jacobi/grid.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "benchmarks/jacobi/jacobi.h"
#include "common/base/sizes.h"

static const double PI = 3.14159265358979323846;

/* Taylor's series to the term of degree 21, in Horner's form: the next is below 2e-18 for x <= 1/2. */
double sine_of_pi(double x)
{
    double angle = PI * (x <= 0.5 ? x : 1.0 - x);
    double square = angle * angle, sum = 1.0;
    for (int degree = 21; degree >= 3; degree -= 2)
        sum = 1.0 - square / (degree * (degree - 1)) * sum;
    return angle * sum;
}

double grid_sine(size_t k, size_t i, size_t n)
{
    size_t half_waves = k * i / (n + 1), rest = k * i % (n + 1);
    double sine = sine_of_pi((double)rest / (double)(n + 1));
    return half_waves % 2 == 0 ? sine : -sine;
}

double grid_harmonic(double x, double y)
{
    return x * x - y * y + x * y;
}

/* 1 - cos(kπh), without cancellation */
static double one_minus_cosine(size_t k, size_t n)
{
    double sine = sin((double)k * PI / (2.0 * (double)(n + 1)));
    return 2.0 * sine * sine;
}

double grid_amplification(size_t n)
{
    double differences = 2.0 * (one_minus_cosine(WAVES_X, n) + one_minus_cosine(WAVES_Y, n));
    return grid_b_scale(n) / differences;
}

double grid_eigenvalue(size_t k, size_t l, size_t n)
{
    return 1.0 - 0.5 * (one_minus_cosine(k, n) + one_minus_cosine(l, n));
}

double grid_b_scale(size_t n)
{
    double h = 1.0 / (double)(n + 1);
    return (WAVES_X * WAVES_X + WAVES_Y * WAVES_Y) * PI * PI * (h * h);
}

/* ---- memory ---- */

static double *line(size_t n)
{
    return calloc(n, sizeof(double));
}

int jacobi_create(struct problem *p)
{
    struct grid *g = calloc(1, sizeof *g);
    p->factors = g;
    if (!g)
        return -1;
    for (size_t k = 0; k < 2; k++)
        g->u[k] = tile_matrix_create(p->n, p->n, p->nb, p->nb, p->interleave);
    p->A = g->u[0];
    g->b = tile_matrix_create(p->n, p->n, p->nb, p->nb, p->interleave);
    g->west = line(p->n);
    g->east = line(p->n);
    g->north = line(p->n);
    g->south = line(p->n);
    g->sine_x = line(p->n);
    g->sine_y = line(p->n);
    size_t waves = ceiling(p->n, p->nb) + WAVE_BORDER;
    g->waves = line(waves * waves);
    bool lines = g->west && g->east && g->north && g->south && g->sine_x && g->sine_y;
    return g->u[0] && g->u[1] && g->b && lines && g->waves ? 0 : -1;
}

/* The driver releases the problem's A, which is u[0]. */
void jacobi_destroy(struct problem *p)
{
    struct grid *g = grid_of(p);
    if (!g)
        return;
    tile_matrix_destroy(g->u[1]);
    tile_matrix_destroy(g->b);
    free(g->west);
    free(g->east);
    free(g->north);
    free(g->south);
    free(g->sine_x);
    free(g->sine_y);
    free(g->waves);
    free(g);
    p->factors = NULL;
}

/* ---- input ---- */

static void fill_lines(struct grid *g, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double at = (double)(i + 1) / (double)(n + 1);
        g->north[i] = grid_harmonic(0.0, at);
        g->south[i] = grid_harmonic(1.0, at);
        g->west[i] = grid_harmonic(at, 0.0);
        g->east[i] = grid_harmonic(at, 1.0);
        g->sine_x[i] = grid_sine(WAVES_X, i + 1, n);
        g->sine_y[i] = grid_sine(WAVES_Y, i + 1, n);
    }
}

static struct input initial_values(const struct problem *p)
{
    return (struct input){.kind = INPUT_UNIFORM, .m = p->n, .n = p->n, .seed = p->input.seed};
}

/* The second buffer begins as NaNs: a point that no sweep writes shows. */
static void fill_tile(const struct problem *p, size_t i, size_t j)
{
    const struct grid *g = grid_of(p);
    size_t row = i * g->b->mb, col = j * g->b->nb;
    struct tile b = tile_at(g->b, i, j), other = tile_at(g->u[1], i, j);
    double scale = grid_b_scale(p->n);
    struct input initial = initial_values(p);
    input_tile(&initial, row, col, tile_at(g->u[0], i, j));
    for (size_t c = 0; c < b.cols; c++)
        for (size_t r = 0; r < b.rows; r++) {
            b.a[r + c * b.ld] = grid_b(g, scale, row + r, col + c);
            other.a[r + c * other.ld] = NAN;
        }
}

void jacobi_generate(struct problem *p)
{
    struct grid *g = grid_of(p);
    fill_lines(g, p->n);
#pragma omp parallel for collapse(2) schedule(static) num_threads((int)p->threads)
    for (size_t j = 0; j < g->b->nt; j++)
        for (size_t i = 0; i < g->b->mt; i++)
            fill_tile(p, i, j);
}

/* ---- columns ---- */

void grid_initial_column(const struct problem *p, size_t column, double *values)
{
    struct input initial = initial_values(p);
    input_tile(&initial, 0, column, tile_view(values, p->n, 1, p->n));
}

const double *grid_result_column(const struct problem *p, size_t i, size_t column)
{
    const struct tile_matrix *V = grid_buffer(p, jacobi_sweeps(p));
    struct tile t = tile_at(V, i, column / V->nb);
    return t.a + column % V->nb * t.ld;
}
