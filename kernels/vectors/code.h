/* SPDX-License-Identifier: BSD-3-Clause
 * The functions of this folder, as compiled for one instruction set. product.h, triangular_solve.h, panel.h and
 * householder.h have their contracts. */
#ifndef POLLUX_KERNELS_VECTORS_CODE_H
#define POLLUX_KERNELS_VECTORS_CODE_H

#include <stddef.h>

#include "common/matrix/operands.h"
#include "common/matrix/tile_matrix.h"

/** The columns of C in subtract_product, of the triangle in subtract_symmetric_product, and the order of triangles to
 * solve with, are a multiple of this. */
enum { VECTOR_MULTIPLE = 8 };

/** Columns that panel_leaf factors at most. */
enum { PANEL_LEAF_COLUMNS = 8 };

/** Columns of A in reflect: as many as a vector of AVX-512 has lanes. */
enum { VECTOR_REFLECTOR_COLUMNS = 8 };

struct vector_code {
    /** Largest order of a triangle to solve with: larger ones are faster in halves (docs/evaluation/performance.md). */
    size_t solve_order;
    void (*subtract_product)(const struct tile *A, enum transpose op, const struct tile *B,
                             const struct tile *C);
    void (*subtract_symmetric_product)(const struct tile *A, const struct tile *C);
    void (*subtract_triangle_product)(const struct tile *L, const struct tile *B,
                                      const struct tile *C);
    void (*product_transposed)(enum update update, enum shape shape, const struct tile *A,
                               const struct tile *B, const struct tile *C);
    void (*solve_right)(enum transpose op, const struct tile *T, const struct tile *B);
    void (*solve_left_unit_lower)(const struct tile *L, const struct tile *B);
    void (*panel_leaf)(const struct tile *panel, int *pivots);
    void (*reflect)(const struct tile *A, size_t j, double scale, const double *w, double *s);
};

extern const struct vector_code avx2_code, avx512_code, neon_code;

/* Initialises a table by enum kernels_isa with those of this architecture. */
#if defined(__aarch64__)
#define VECTOR_CODES [KERNELS_NEON] = &neon_code
#else
#define VECTOR_CODES [KERNELS_AVX512] = &avx512_code, [KERNELS_AVX2] = &avx2_code
#endif

#endif
