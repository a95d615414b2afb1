/* SPDX-License-Identifier: BSD-3-Clause
 * The two forms of the recursion as tables: which sums, products and combinations a level has, and which
 * matrices they read and write. Everything else in this folder works on either form. */
#ifndef POLLUX_BENCHMARKS_STRASSEN_FORMS_H
#define POLLUX_BENCHMARKS_STRASSEN_FORMS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/execution/kernel.h"

/** A matrix of half the order: a quadrant of an operand or of the result, or one of the level's workspace. */
enum place {
    A11,
    A21,
    A12,
    A22,
    B11,
    B21,
    B12,
    B22,
    C11,
    C21,
    C12,
    C22,
    WORK, /* the first of the workspace; the others follow */
};

enum { QUADRANTS = 4, PRODUCTS = 7, WORK_MAX = 13, ADDITIONS_MAX = 3, SUMS_MAX = 8 };

/** to := left + right, or left - right, element by element. */
struct addition {
    unsigned char to, left;
    signed char sign;
    unsigned char right;
};

/** Additions that are one task, so that what they share is read from memory once. The matrices that it
 * reads, and those that it writes and that other tasks name, are at most four: any runtime can order it. */
struct sum {
    const struct kernel *kernel;
    unsigned char in[3], out[2];
    unsigned char ins, outs;
    unsigned char additions;
    struct addition addition[ADDITIONS_MAX];
};

/** out := left right */
struct factors {
    unsigned char left, right, out;
};

/** One level of the recursion. */
struct form {
    const char *name;
    struct sum sums[SUMS_MAX]; /**< of A, then of B, then the combinations; all in their order */
    size_t right, combinations,
        sum_count; /**< where those of B and the combinations begin; the end */
    struct factors products[PRODUCTS];
    const struct kernel *product;
    size_t work_count; /**< matrices of the workspace */
    /** The one whose address stands for each of these in `depend` clauses: of those that one task writes,
     * the first. */
    unsigned char named[WORK_MAX];
    double additions; /**< on matrices of half the order */
    double growth;    /**< of the error bound from one level to the next */
    double slope;     /**< its linear term */
};

enum { FORM_WINOGRAD, FORM_STRASSEN };

/** Their names, in that order, ended by NULL; and the forms. */
extern const char *const form_names[];
extern const struct form forms[];

enum { FORM_KERNELS = 17 };

/** The kernels of both forms. */
extern const struct kernel *const form_kernels[FORM_KERNELS];

#endif
