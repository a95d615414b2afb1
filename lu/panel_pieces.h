/* SPDX-License-Identifier: BSD-3-Clause
 * The pieces of a panel that LU `column` factors with nested tasks. Each is a kernel of its own: counted,
 * observed and traced, and without effect once a task has failed. Coordinates: docs/traces.md. */
#ifndef POLLUX_LU_PANEL_PIECES_H
#define POLLUX_LU_PANEL_PIECES_H

#include "common/run/benchmark.h"
#include "kernels/packed_panel.h"

extern const struct kernel about_panel_load, about_panel_getrf, about_panel_trsm, about_panel_gemm,
    about_panel_swap, about_panel_store;

/** A view of step k's panel in the scratch memory; no element is touched. */
struct panel piece_view(struct problem *p, size_t k);

/** Packs the panel; fails if it holds a NaN or an infinity. */
void piece_load(struct problem *p, size_t k, struct panel whole);

/** Factors `columns`, a part of step k's panel, as LAPACK does; fails at a pivot that is zero or not finite. */
void piece_getrf(struct problem *p, size_t k, struct panel columns);

/** Exchanges the rows of `right` as `left` did, and solves its first rows with `left`. */
void piece_trsm(struct problem *p, size_t k, struct panel left, struct panel right);

/** panel_update */
void piece_gemm(struct problem *p, size_t k, struct panel left, struct panel right, size_t row,
                size_t count);

/** Applies the exchanges of `below` to `left`, the columns left of it from its first row on, and counts
 * its pivots from the first row of the panel that is `rows` higher. */
void piece_swap(struct problem *p, size_t k, struct panel below, struct panel left, size_t rows);

/** Unpacks the panel into its tiles, and turns its pivots into rows of the whole matrix. */
void piece_store(struct problem *p, size_t k, struct panel whole);

/** Row and column of the packed panel at which a piece begins, in elements. */
void piece_coordinates(const struct problem *p, size_t k, const void *object, size_t *row,
                       size_t *column);

#endif
