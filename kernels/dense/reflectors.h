/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of Householder reflectors in the compact WY form, Q = I - V T Vᵀ: made, and applied. For use
 * inside kernels/.
 *
 * The k reflectors of a block are the columns of V. Where a tile is factored by itself, V is a unit
 * lower trapezoid in it. Where a triangle is on top of a tile, V is the identity on top of a full
 * matrix, which the tile holds. T is upper triangular, with zeros stored below. */
#ifndef POLLUX_KERNELS_DENSE_REFLECTORS_H
#define POLLUX_KERNELS_DENSE_REFLECTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernels.h"

/** Columns to be factored. */
struct qr_panel {
    double *R; /**< the upper triangle: A itself if `trapezoid` */
    size_t ldr;
    double *A; /**< where the reflectors go */
    size_t lda;
    size_t rows;    /**< of A */
    bool trapezoid; /**< one tile, whose top becomes R; else R is on top of A */
};

/** Columns to be multiplied by Q. */
struct operand {
    double *top; /**< the rows where V has the identity; not used with a trapezoid */
    size_t ldtop;
    double *C; /**< the rows of what is stored of V */
    size_t ldc;
};

/** A block of reflectors. */
struct reflectors {
    size_t k;
    const double *V; /**< rows × k */
    size_t ldv;
    size_t rows;
    bool trapezoid;
    const double *T; /**< k × k */
    size_t ldt;
};

/** What is left to be factored after the first k columns. */
struct qr_panel qr_panel_after(struct qr_panel p, size_t k);

/** The first k reflectors of a panel, once they are there. */
struct reflectors qr_panel_reflectors(struct qr_panel p, size_t k, const double *T, size_t ldt);

/** Columns from k on, for the first k reflectors. */
struct operand qr_panel_operand(struct qr_panel p, size_t k);

/** Doubles of workspace for at most k reflectors at once, and at most n >= k columns. */
size_t reflectors_workspace_doubles(size_t n, size_t k);

/** Factors the first k columns of a panel, which has at least k rows if it is a trapezoid. T is
 * written whole. */
void reflectors_factor(struct qr_panel p, size_t k, double *T, size_t ldt, double *workspace);

/** C := Qᵀ C or Q C, on n columns. */
void reflectors_apply(const struct reflectors *H, enum transpose op, size_t n, struct operand C,
                      double *workspace);

#endif
