/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of Householder reflectors in the compact WY form, Q = I - V T Vᵀ: computed and applied. For use
 * inside kernels/.
 *
 * The k reflectors of a block are the columns of V. Where a tile is factored by itself, V is a unit
 * lower trapezoid in it. Where a triangle is on top of a tile, V is the identity on top of a full
 * matrix, which the tile stores. T is upper triangular, with zeros stored below. */
#ifndef POLLUX_KERNELS_DENSE_REFLECTORS_H
#define POLLUX_KERNELS_DENSE_REFLECTORS_H

#include <stdbool.h>

#include "common/matrix/operands.h"
#include "common/matrix/tile_matrix.h"

/** Columns to be factored. */
struct qr_panel {
    struct tile R;  /**< its upper triangle is replaced: A itself if `trapezoid` */
    struct tile A;  /**< where the reflectors go */
    bool trapezoid; /**< one tile, whose top becomes R; else R is on top of A */
};

/** A block of reflectors, or several blocks side by side. */
struct reflectors {
    struct tile V; /**< what is stored of it, m × k */
    struct tile T; /**< k × k; of several blocks side by side */
    bool trapezoid;
};

/** Columns to be multiplied by Q. */
struct operand {
    struct tile top; /**< the k rows where V has the identity; not used with a trapezoid */
    struct tile C;   /**< the rows of what is stored of V */
};

/** The first k columns. */
struct qr_panel qr_panel_first(struct qr_panel p, size_t k);

/** What remains to be factored after the first k columns. */
struct qr_panel qr_panel_after(struct qr_panel p, size_t k);

/** The columns after the first k, to which the reflectors of these must be applied. */
struct operand qr_panel_rest(struct qr_panel p, size_t k);

/** The reflectors of a panel that is factored. */
struct reflectors qr_panel_reflectors(struct qr_panel p, struct tile T);

/** The block of the reflectors i … i + k - 1. */
struct reflectors reflectors_block(struct reflectors H, size_t i, size_t k);

/** Doubles of workspace for at most k reflectors at once, and at most n >= k columns. */
size_t reflectors_workspace_doubles(size_t n, size_t k);

/** Factors a panel of k columns, which has at least k rows if it is a trapezoid. The k × k matrix T is
 * written whole. */
void reflectors_factor(struct qr_panel p, struct tile T, double *workspace);

/** C := Qᵀ C or Q C, with one block. */
void reflectors_apply(struct reflectors H, enum transpose op, struct operand C, double *workspace);

/* The WY form, Qᵀ = I - V Wᵀ with W = V T (Bischof and Van Loan, "The WY representation for products of
 * Householder matrices", SIAM Journal on Scientific and Statistical Computing 8(1), 1987). With Wᵀ stored, Qᵀ C takes
 * products alone that read everything in place: nothing is transposed or copied for each C. */

/** Wᵀ := (Tᵀ, (V T)ᵀ) of a block that is no trapezoid: k × (k + m), first the columns for the identity in V. */
void reflectors_make_product(struct reflectors H, struct tile W);

/** C := Qᵀ C, with one block that is no trapezoid. */
void reflectors_apply_product(struct tile V, struct tile W, struct operand C, double *workspace);

#endif
