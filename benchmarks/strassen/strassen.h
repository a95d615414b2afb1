/* SPDX-License-Identifier: BSD-3-Clause
 * C = A B by Strassen's recursion: its matrices, its kernels by product and block, and its variants.
 *
 * The products of a level are numbered; those of product i of level l are 7 i … 7 i + 6 of level l + 1. Level
 * 0 is C = A B. On the first `task_levels` levels sums and products are tasks. A task works on blocks, which
 * have the order of the last of these levels' products; a sum of a level above is made of several blocks. A
 * block's product goes on with the recursion by itself, down to dgemm on leaves.
 *
 * All matrices have leaves for tiles, in an order (Morton's) in which each quadrant of each quadrant is
 * contiguous. A sum of two quadrants is therefore one of two arrays. Where N is no multiple of a leaf's order,
 * zeros follow its last row and column. */
#ifndef POLLUX_BENCHMARKS_STRASSEN_STRASSEN_H
#define POLLUX_BENCHMARKS_STRASSEN_STRASSEN_H

#include "benchmarks/strassen/forms.h"
#include "common/run/benchmark.h"

extern const struct benchmark strassen;

/** In the order of the table of parameters. */
enum { PARAMETER_FORM, PARAMETER_DEPTH, PARAMETER_CUTOFF };

enum { DEPTH_MAX = 8 };

/** How often the matrices are halved, and what is left. */
struct recursion {
    const struct form *form;
    size_t levels;        /**< of the recursion */
    size_t task_levels;   /**< those whose sums and products are tasks */
    size_t leaf;          /**< order of the products that dgemm computes */
    size_t leaf_doubles;  /**< distance of two leaves */
    size_t block_doubles; /**< distance of two blocks */
};

/** What problem->factors points to. */
struct matrices {
    struct recursion recursion;
    struct tile_matrix *A, *B, *C;
    struct tile_matrix *work;     /**< of all products above the blocks */
    size_t work_start[DEPTH_MAX]; /**< doubles before the first product of a level */
};

/** One product C = A B of the recursion. */
struct product {
    size_t level, index; /**< which of the level's */
    double *A, *B, *C;
    /** What stands for A and B in `depend` clauses: the matrix itself, or the first of those that were
     * written together with it, at the same place. */
    double *A_name, *B_name;
    double *work; /**< its matrices of workspace */
};

/* ---- sizes (workspace.c) ---- */

struct recursion recursion_of(const struct problem *p);

/** Doubles of a quadrant of a product of that level. */
size_t quadrant_doubles(const struct recursion *r, size_t level);

/** Blocks of such a quadrant; level < task_levels. */
size_t quadrant_blocks(const struct recursion *r, size_t level);

/** Multiplications and additions of the recursion, with the zeros. */
double recursion_operations(const struct recursion *r);

double strassen_tasks(const struct problem *p, const struct variant *variant);
size_t strassen_bytes(const struct problem *p);
size_t strassen_verify_bytes(const struct problem *p, enum check check);
size_t strassen_workspace_doubles(const struct problem *p);
int strassen_create(struct problem *p);
void strassen_destroy(struct problem *p);

/* ---- products and places (products.c) ---- */

struct product product_at(const struct matrices *s, size_t level, size_t index);

/** The matrix at that place of the product, and what stands for it in `depend` clauses. */
double *place_address(const struct recursion *r, const struct product *x, unsigned place);
double *place_name(const struct recursion *r, const struct product *x, unsigned place);

/** Where the block that names a call of product k, counted level by level, is in its quadrant. */
void strassen_coordinates(const struct problem *p, size_t k, const void *object, size_t *i,
                          size_t *j);

static inline struct matrices *strassen_of(const struct problem *p)
{
    return (struct matrices *)p->factors; /* C++ too */
}

/* ---- kernels (kernels.c) ---- */

/** The additions of one sum, number `sum` of the form, of a block. */
void strassen_sum(struct problem *p, size_t level, size_t index, size_t sum, size_t block);

/** Sums first … end - 1 of a block, one after another. */
void strassen_sums(struct problem *p, size_t level, size_t index, size_t first, size_t end,
                   size_t block);

/** C := A B of a product of level task_levels: one block. */
void strassen_multiply(struct problem *p, size_t index);

/* ---- input and verification (verify.c) ---- */

void strassen_generate(struct problem *p);
bool strassen_verify(struct problem *p, enum check check, struct verification *result);

/** Bound on the error of an element of C where the elements of A and B are at most 1. */
double strassen_error_bound(const struct recursion *r);

/* ---- variants ---- */

void strassen_seq(struct problem *p);
void strassen_task(struct problem *p);
void strassen_depend(struct problem *p);
void strassen_flat(struct problem *p);

#endif
