/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks are numbered in the order of the sequential algorithm; a table finds the number by step and tile. */
#include "micro/factorization.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/run/benchmark.h"
#include "micro/conflicts.h"
#include "micro/run.h"

/* A matrix of tiles at which nothing is stored. The problem is first: graphs get its address. */
struct factorization {
    struct problem problem;
    struct tile_matrix A;
    const struct algorithm *algorithm;
    size_t tiles;     /* rows, and columns, of them */
    uint32_t *number; /* of the task of step k at (m, n): number[(k (tiles + 1) + m) tiles + n] */
    struct graph *graph;         /* while the order is being defined */
    struct conflicts *conflicts; /* the same */
    struct run *run;             /* while tasks run */
};

static struct factorization *of(const struct problem *p)
{
    return (struct factorization *)p;
}

size_t algorithm_tiles(const struct algorithm *algorithm, size_t tasks)
{
    size_t tiles = 1;
    while (algorithm->tasks(tiles) < tasks)
        tiles++;
    return tiles;
}

size_t algorithm_fit(const struct algorithm *algorithm, size_t tasks)
{
    return algorithm->tasks(algorithm_tiles(algorithm, tasks));
}

/* Addresses: tiles column after column, then those for columns -1, 0, 1 …, or T. */
size_t algorithm_addresses(const struct shape *shape)
{
    const struct algorithm *algorithm = shape->algorithm;
    size_t tiles = algorithm_tiles(algorithm, shape->tasks), count = tiles * tiles;
    return count + (algorithm->columns ? tiles + 1 : 0) + (algorithm->reflectors ? count : 0);
}

/* Objects of conflicts: tiles, T, pivots of a step, columns. */
enum { SQUARES = 2, LINES = 2 };

#define GRAPH_OF "a graph of %zu tasks: choose fewer with --tasks"

static struct factorization *factorization_create(const struct shape *shape)
{
    size_t tiles = algorithm_tiles(shape->algorithm, shape->tasks);
    struct factorization *f = zeros_for(1, sizeof *f, GRAPH_OF, shape->tasks);
    f->algorithm = shape->algorithm;
    f->tiles = tiles;
    f->number = zeros_for(tiles * (tiles + 1) * tiles, sizeof *f->number, GRAPH_OF, shape->tasks);
    f->problem.A = &f->A;
    f->A = (struct tile_matrix){.m = tiles, .n = tiles, .mb = 1, .nb = 1, .mt = tiles, .nt = tiles};
    return f;
}

static double *address_number(const struct run *run, size_t index)
{
    void *address = run_address(run, index);
    return address;
}

void algorithm_release(void *prepared)
{
    struct factorization *f = prepared;
    free(f->A.column);
    free(f->number);
    free(f);
}

/* Numbers the tasks and adds them to the graph. */
static void define(struct factorization *f, struct graph *graph, size_t tasks)
{
    f->graph = graph;
    f->conflicts = conflicts_create(graph, SQUARES * f->tiles * f->tiles + LINES * f->tiles, tasks);
    f->algorithm->sequential(&f->problem);
    conflicts_destroy(f->conflicts);
    f->graph = NULL;
    f->conflicts = NULL;
}

void algorithm_define(const struct shape *shape, struct graph *graph)
{
    struct factorization *f = factorization_create(shape);
    define(f, graph, shape->tasks);
    algorithm_release(f);
}

void *algorithm_prepare(struct run *run)
{
    struct factorization *f = factorization_create(run->shape);
    struct graph numbered = graph_create(run->shape->tasks);
    define(f, &numbered, run->shape->tasks);
    graph_destroy(&numbered);
    size_t tiles = f->tiles * f->tiles;
    f->A.column = zeros_for(tiles, sizeof *f->A.column, "%zu tiles", tiles);
    for (size_t t = 0; t < tiles; t++)
        f->A.column[t] = address_number(run, t);
    f->run = run;
    return f;
}

void algorithm_create(struct run *run)
{
    struct factorization *f = run->prepared;
    f->algorithm->submit(&f->problem);
}

void algorithm_call(struct run *run)
{
    struct factorization *f = run->prepared;
    f->algorithm->sequential(&f->problem);
}

double *stand_in(const struct problem *p, size_t before)
{
    const struct factorization *f = of(p);
    return address_number(f->run, f->tiles * f->tiles + before);
}

double *reflector(const struct problem *p, size_t m, size_t n)
{
    const struct factorization *f = of(p);
    return address_number(f->run, f->tiles * f->tiles + m + n * f->tiles);
}

bool begin_task(struct problem *p, size_t k, size_t m, size_t n)
{
    struct factorization *f = of(p);
    uint32_t *number = &f->number[(k * (f->tiles + 1) + m) * f->tiles + n];
    if (!f->graph) {
        run_task(f->run, *number);
        return false;
    }
    *number = (uint32_t)f->graph->tasks;
    graph_add_task(f->graph);
    return true;
}

static size_t tile_object(const struct factorization *f, size_t m, size_t n)
{
    return m + n * f->tiles;
}

static size_t reflector_object(const struct factorization *f, size_t m, size_t n)
{
    return f->tiles * f->tiles + m + n * f->tiles;
}

static size_t pivots_object(const struct factorization *f, size_t k)
{
    return SQUARES * f->tiles * f->tiles + k;
}

static size_t column_object(const struct factorization *f, size_t n)
{
    return SQUARES * f->tiles * f->tiles + f->tiles + n;
}

void reads_tile(struct problem *p, size_t m, size_t n)
{
    conflicts_read(of(p)->conflicts, tile_object(of(p), m, n));
}

void writes_tile(struct problem *p, size_t m, size_t n)
{
    conflicts_write(of(p)->conflicts, tile_object(of(p), m, n));
}

void writes_column(struct problem *p, size_t m, size_t n)
{
    for (size_t row = m; row < of(p)->tiles; row++)
        writes_tile(p, row, n);
}

void reads_pivots(struct problem *p, size_t k)
{
    conflicts_read(of(p)->conflicts, pivots_object(of(p), k));
}

void writes_pivots(struct problem *p, size_t k)
{
    conflicts_write(of(p)->conflicts, pivots_object(of(p), k));
}

void reads_reflector(struct problem *p, size_t m, size_t n)
{
    conflicts_read(of(p)->conflicts, reflector_object(of(p), m, n));
}

void writes_reflector(struct problem *p, size_t m, size_t n)
{
    conflicts_write(of(p)->conflicts, reflector_object(of(p), m, n));
}

void updates_column(struct problem *p, size_t n)
{
    if (of(p)->algorithm->updates_take_turns)
        conflicts_write(of(p)->conflicts, column_object(of(p), n));
}
