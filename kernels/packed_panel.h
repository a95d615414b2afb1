/* SPDX-License-Identifier: BSD-3-Clause
 * The panel of an LU step: in place if it is in one tile, else packed from a column of tiles into one
 * matrix. */
#ifndef POLLUX_KERNELS_PACKED_PANEL_H
#define POLLUX_KERNELS_PACKED_PANEL_H

#include <stdbool.h>

#include "kernels/dense/panel.h"

/** The panel of step k of A in `storage` (kernel_getrf_panel_doubles); its pivots are the entries of
 * `pivots` that belong to step k. No element is touched. */
struct panel panel_view(const struct tile_matrix *A, size_t k, double *storage, int *pivots);

/** The panel of step k in place, if it is in one tile.
 * @return false if it is in several */
bool panel_in_place(const struct tile_matrix *A, size_t k, int *pivots, struct panel *panel);

/** Packs the rows from k*nb down of tile column k into the panel of step k. */
void panel_load(const struct tile_matrix *A, size_t k, struct panel panel);

/** Unpacks the panel into its tiles. */
void panel_store(struct tile_matrix *A, size_t k, struct panel panel);

#endif
