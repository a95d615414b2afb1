/* SPDX-License-Identifier: BSD-3-Clause
 * The sweep of a tile, and of the parts of tiles that a tile in time covers. */
#include <stdint.h>

#include "benchmarks/jacobi/grid.h"
#include "benchmarks/jacobi/jacobi.h"
#include "common/base/sizes.h"
#include "kernels/five_point.h"

/* Rows [top, bottom) and columns [left, right) of tile (m, n). */
struct part {
    size_t m, n, top, bottom, left, right;
};

static const size_t OUTSIDE = SIZE_MAX; /* the tile before tile 0 */

size_t jacobi_sweeps(const struct problem *p)
{
    return p->parameters[JACOBI_SWEEPS];
}

double *jacobi_old(const struct problem *p, size_t s, size_t m, size_t n)
{
    const struct grid *g = grid_of(p);
    const struct tile_matrix *U = grid_buffer(p, s);
    if (m == OUTSIDE)
        return g->north + n * U->nb;
    if (m == U->mt)
        return g->south + n * U->nb;
    if (n == OUTSIDE)
        return g->west + m * U->mb;
    if (n == U->nt)
        return g->east + m * U->mb;
    return tile_address(U, m, n);
}

double *jacobi_new(const struct problem *p, size_t s, size_t m, size_t n)
{
    return tile_address(grid_buffer(p, s + 1), m, n);
}

static const double *left_of(const struct grid *g, const struct tile_matrix *U, struct part t)
{
    if (t.left > 0)
        return tile_address(U, t.m, t.n) + t.top + (t.left - 1) * tile_at(U, t.m, t.n).ld;
    if (t.n == 0)
        return g->west + t.m * U->mb + t.top;
    struct tile beside = tile_at(U, t.m, t.n - 1);
    return beside.a + t.top + (beside.cols - 1) * beside.ld;
}

static const double *right_of(const struct grid *g, const struct tile_matrix *U, struct part t)
{
    struct tile own = tile_at(U, t.m, t.n);
    if (t.right < own.cols)
        return own.a + t.top + t.right * own.ld;
    if (t.n + 1 == U->nt)
        return g->east + t.m * U->mb + t.top;
    return tile_address(U, t.m, t.n + 1) + t.top;
}

static const double *above(const struct grid *g, const struct tile_matrix *U, struct part t,
                           size_t *ld)
{
    struct tile beside = tile_at(U, t.top > 0 || t.m == 0 ? t.m : t.m - 1, t.n);
    *ld = beside.ld;
    if (t.top > 0)
        return beside.a + (t.top - 1) + t.left * beside.ld;
    if (t.m > 0)
        return beside.a + (beside.rows - 1) + t.left * beside.ld;
    *ld = 1;
    return g->north + t.n * U->nb + t.left;
}

static const double *below(const struct grid *g, const struct tile_matrix *U, struct part t,
                           size_t *ld)
{
    struct tile own = tile_at(U, t.m, t.n);
    *ld = own.ld;
    if (t.bottom < own.rows)
        return own.a + t.bottom + t.left * own.ld;
    *ld = 1;
    if (t.m + 1 == U->mt)
        return g->south + t.n * U->nb + t.left;
    struct tile beside = tile_at(U, t.m + 1, t.n);
    *ld = beside.ld;
    return beside.a + t.left * beside.ld;
}

/* The work of sweep s on a part of a tile. */
static struct five_point stencil(const struct problem *p, size_t s, struct part t)
{
    const struct grid *g = grid_of(p);
    const struct tile_matrix *U = grid_buffer(p, s), *V = grid_buffer(p, s + 1);
    size_t ld = tile_at(U, t.m, t.n).ld, first = t.top + t.left * ld;
    struct five_point stencil = {.rows = t.bottom - t.top,
                                 .cols = t.right - t.left,
                                 .ld = ld,
                                 .u = tile_address(U, t.m, t.n) + first,
                                 .b = tile_address(g->b, t.m, t.n) + first,
                                 .v = tile_address(V, t.m, t.n) + first};
    stencil.west = left_of(g, U, t);
    stencil.east = right_of(g, U, t);
    stencil.north = above(g, U, t, &stencil.north_ld);
    stencil.south = below(g, U, t, &stencil.south_ld);
    return stencil;
}

/* The right-hand side is not listed: no task writes it. */
void jacobi_sweep(struct problem *p, size_t s, size_t m, size_t n)
{
    const struct tile_matrix *U = grid_buffer(p, s);
    const struct access accesses[] = {
        {jacobi_old(p, s, m - 1, n), ACCESS_READ}, {jacobi_old(p, s, m + 1, n), ACCESS_READ},
        {jacobi_old(p, s, m, n - 1), ACCESS_READ}, {jacobi_old(p, s, m, n + 1), ACCESS_READ},
        {jacobi_old(p, s, m, n), ACCESS_READ},     {jacobi_new(p, s, m, n), ACCESS_WRITE}};
    struct part tile = {m, n, 0, tile_rows(U, m), 0, tile_cols(U, n)};
    struct five_point_parts whole = {tile.bottom, tile.right, 1, {stencil(p, s, tile)}};
    kernel_sweep(p->execution, s, accesses, 6, &whole);
}

/* ---- tiles in time ---- */

size_t jacobi_time_tile(const struct problem *p)
{
    return smaller(smaller(p->parameters[JACOBI_TIME_TILE], jacobi_sweeps(p)), p->A->mb);
}

/* Sweeps of the time tile that begins with sweep s. */
static size_t sweeps_from(const struct problem *p, size_t s)
{
    return smaller(jacobi_time_tile(p), jacobi_sweeps(p) - s);
}

size_t jacobi_wave_tiles(const struct problem *p, size_t s)
{
    return ceiling(p->n + sweeps_from(p, s) - 1, p->A->mb);
}

double *jacobi_wave(const struct problem *p, size_t m, size_t n)
{
    size_t columns = p->A->nt + WAVE_BORDER;
    return grid_of(p)->waves + (m + 1) + (n + 1) * columns;
}

/* The first time tile has the most sweeps, and so the most tiles in time. Where (m, n) is the last of all
 * none overlaps it, and nothing writes what is named. */
double *jacobi_wave_next(const struct problem *p, size_t m, size_t n)
{
    size_t last = jacobi_wave_tiles(p, 0) - 1;
    if (m >= last && n >= last)
        return jacobi_wave(p, m + 1, n + 1);
    return jacobi_wave(p, smaller(m + 1, last), smaller(n + 1, last));
}

/* Where a tile of that number is after `shift` sweeps, along one direction. */
struct range {
    size_t first, end;
};

static struct range shifted(const struct problem *p, size_t tile, size_t shift)
{
    size_t first = tile * p->A->mb, end = first + p->A->mb;
    return (struct range){first > shift ? first - shift : 0,
                          smaller(end > shift ? end - shift : 0, p->n)};
}

/* What is within the tile that holds `first`. */
static struct range clip(struct range all, size_t first, size_t mb)
{
    return (struct range){first, smaller(all.end, (first / mb + 1) * mb)};
}

/* The parts, in up to four tiles, of a rectangle that is not empty. */
static struct five_point_parts parts_of(const struct problem *p, size_t s, struct range rows,
                                        struct range cols)
{
    struct five_point_parts whole = {.rows = rows.end - rows.first, .cols = cols.end - cols.first};
    size_t mb = p->A->mb;
    struct range i, j;
    for (size_t col = cols.first; col < cols.end; col = j.end) {
        j = clip(cols, col, mb);
        for (size_t row = rows.first; row < rows.end; row = i.end) {
            i = clip(rows, row, mb);
            struct part part = {row / mb, col / mb,
                                row % mb, i.end - row / mb * mb,
                                col % mb, j.end - col / mb * mb};
            whole.part[whole.count++] = stencil(p, s, part);
        }
    }
    return whole;
}

/* What other tiles in time write next to this one, before it or after it, counts as read. */
static void sweep_shifted(struct problem *p, size_t s, size_t shift, size_t m, size_t n)
{
    const struct access accesses[] = {
        {jacobi_wave(p, m - 1, n - 1), ACCESS_READ}, {jacobi_wave(p, m - 1, n), ACCESS_READ},
        {jacobi_wave(p, m, n - 1), ACCESS_READ},     {jacobi_wave(p, m + 1, n), ACCESS_READ},
        {jacobi_wave(p, m, n + 1), ACCESS_READ},     {jacobi_wave(p, m + 1, n + 1), ACCESS_READ},
        {jacobi_wave(p, m, n), ACCESS_WRITE}};
    struct range rows = shifted(p, m, shift), cols = shifted(p, n, shift);
    if (rows.first >= rows.end || cols.first >= cols.end)
        return;
    struct five_point_parts whole = parts_of(p, s, rows, cols);
    kernel_sweep(p->execution, s, accesses, 7, &whole);
}

void jacobi_sweep_wave(struct problem *p, size_t s, size_t m, size_t n)
{
    size_t sweeps = sweeps_from(p, s);
    for (size_t shift = 0; shift < sweeps; shift++)
        sweep_shifted(p, s + shift, shift, m, n);
}
