/* SPDX-License-Identifier: BSD-3-Clause
 * The upward pass over a tree of cells, as in a kernel-independent fast multipole method (Ying, Biros, Zorin, "A
 * kernel-independent adaptive fast multipole algorithm in two and three dimensions", Journal of Computational Physics
 * 196(2), 2004): levels 0 (the roots) to `depth` (the leaves), each cell with as many children as the tree branches.
 *
 *   q(c) := S s(c)                       of a leaf: its sources by the n × n matrix S
 *   q(c) := P (q(c1), q(c2) …)           of any other cell: its children's vectors, one after another, by P
 *
 * All vectors have n elements. Each product is computed in slices of nb rows, and each slice by one call of dgemv on
 * one thread: so the vectors are the same bit for bit, whichever threads compute the slices. */
#ifndef POLLUX_BENCHMARKS_CELL_TREE_CELLS_H
#define POLLUX_BENCHMARKS_CELL_TREE_CELLS_H

#include "common/run/benchmark.h"

extern const struct benchmark cell_tree;

/** Indices of the parameters. */
enum { CELLS_DEPTH, CELLS_BRANCHING, CELLS_ROOTS, CELLS_INNER };

enum { TREE_DEPTH_MAX = 20, BRANCHING_MAX = 64 };

/** What the benchmark adds to a problem. */
struct cells {
    size_t ld;                        /**< leading dimension of both matrices */
    double *S, *P;                    /**< of a leaf, n × n; of other cells, n × (branching n) */
    double *sources;                  /**< s of every leaf */
    double *values;                   /**< q of every cell, level after level */
    double **vector;                  /**< the first element of each of them */
    size_t first[TREE_DEPTH_MAX + 2]; /**< cells of the levels above */
    struct tile_matrix *storage[4];   /**< of S, P, sources and values */
};

static inline struct cells *cells_of(const struct problem *p)
{
    return (struct cells *)p->factors; /* the tests are C++ */
}

/** Cells of a level. SIZE_MAX if that overflows. */
size_t cells_on_level(const struct problem *p, size_t level);

/** Slices of a product. */
size_t cell_slices(const struct problem *p);

/** Address of q of a cell: what a `depend` clause names. */
static inline double *cell_vector(const struct problem *p, size_t level, size_t cell)
{
    const struct cells *tree = cells_of(p);
    return tree->vector[tree->first[level] + cell];
}

/** Addresses of q of the children of a cell of `level`; of a leaf there are none. */
static inline double *const *cell_children(const struct problem *p, size_t level, size_t cell)
{
    const struct cells *tree = cells_of(p);
    return tree->vector + tree->first[level + 1] + cell * p->parameters[CELLS_BRANCHING];
}

/** The matrix of a level and the vector that it multiplies. */
struct cell_product {
    const double *matrix, *vector;
    size_t columns;
    double scale; /**< a power of 2 that keeps vectors of all levels about as long */
};

struct cell_product cell_product_of(const struct problem *p, size_t level, size_t cell);

/** y := rows [first, first + rows) of the product. */
void cell_multiply(const struct problem *p, const struct cell_product *product, size_t first,
                   size_t rows, double *y);

/** Computes one slice of q(c). */
void cell_slice(const struct problem *p, size_t level, size_t cell, size_t slice);

/* ---- kernels, of the step depth - level ---- */

/** Begins the call of a kernel that computes so many rows of q(c), from row `first` on.
 * @return false if it must not compute; else execution_leave must follow */
bool cell_enter(struct problem *p, size_t level, size_t cell, size_t first, size_t rows);

/* q(c) := its product, all slices on this thread */
void cell_compute(struct problem *p, size_t level, size_t cell);
/* q(c) := its product, slices on a team of their own */
void cell_compute_nested(struct problem *p, size_t level, size_t cell);
/* One slice of q(c) */
void cell_compute_slice(struct problem *p, size_t level, size_t cell, size_t slice);

/** Computes one slice within the call that cell_compute_nested has begun. */
void cell_inner_slice(struct problem *p, size_t level, size_t cell, size_t slice);

/** The parallel region over the slices of a cell. */
void cell_run_slices(struct problem *p, size_t level, size_t cell);

/* ---- task graphs and loops ---- */

void cells_seq(struct problem *p);
void cells_flat(struct problem *p);
void cells_nested(struct problem *p);
void cells_depend(struct problem *p);
void cells_depend_nested(struct problem *p);
void cells_taskloop(struct problem *p);

/* ---- functions of the benchmark's description (common/run/benchmark.h) ---- */

int cells_create(struct problem *p);
void cells_destroy(struct problem *p);
size_t cells_bytes(const struct problem *p);
void cells_generate(struct problem *p);
bool cells_verify(struct problem *p, enum check check, struct verification *result);
double cells_operations(const struct problem *p);
double cells_tasks(const struct problem *p, const struct variant *variant);
size_t cells_figures(const struct problem *p, double seconds, struct figure *figures);
uint64_t cells_digest(const struct problem *p);
void cells_coordinates(const struct problem *p, size_t k, const void *object, size_t *i, size_t *j);

/** Rows of the products that verification computes again. */
size_t cells_verify_bytes(const struct problem *p, enum check check);

#endif
