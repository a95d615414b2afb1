/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks that write one tile: in a chain, without any order, or in sets of concurrent writes. */
#include "kernels/kernels.h"
#include "tests/race/subjects.h"

enum { TASKS = 100, SETS = 25 };

/* Writes tile (m, 0) and reads a tile that nobody writes. */
static void write_tile(struct problem *p, size_t step, size_t m)
{
    kernel_gemm(p->execution, step, NO_TRANSPOSE, tile_at(p->A, 4, 4), tile_at(p->A, 4, 3),
                tile_at(p->A, m, 0));
}

static void write_first_tiles(struct problem *p, size_t step)
{
    for (size_t m = 0; m < 3; m++)
        write_tile(p, step, m);
}

static void submit_ordered(struct problem *p)
{
    double *first = tile_address(p->A, 0, 0);
    for (size_t i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(p, i) depend(inout : first[0])
        write_tile(p, i, 0);
    }
}

static void submit_unordered(struct problem *p)
{
    for (size_t i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(p, i)
        write_tile(p, i, 0);
    }
}

/* Tasks of a set write a tile each, the task between two sets writes them all. */
static void submit_sets(struct problem *p)
{
    double *first = tile_address(p->A, 0, 0);
    for (size_t i = 0; i < SETS; i++) {
        for (size_t m = 0; m < 3; m++) {
#pragma omp task firstprivate(p, i, m) depend(inoutset : first[0])
            write_tile(p, i, m);
        }
#pragma omp task firstprivate(p, i) depend(inout : first[0])
        write_first_tiles(p, i);
    }
}

/* All tasks of a set write the same tile. */
static void submit_colliding_sets(struct problem *p)
{
    double *first = tile_address(p->A, 0, 0);
    for (size_t i = 0; i < SETS; i++) {
        for (size_t task = 0; task < 3; task++) {
#pragma omp task firstprivate(p, i) depend(inoutset : first[0])
            write_tile(p, i, 0);
        }
#pragma omp task firstprivate(p, i) depend(inout : first[0])
        write_first_tiles(p, i);
    }
}

const struct altered controls[] = {
    {"ordered", "lu", "nopiv", submit_ordered, false},
    {"unordered", "lu", "nopiv", submit_unordered, false},
    {"ordered_sets", "lu", "nopiv", submit_sets, false},
    {"colliding_sets", "lu", "nopiv", submit_colliding_sets, false},
};
const size_t control_count = sizeof controls / sizeof *controls;
