/* SPDX-License-Identifier: BSD-3-Clause
 * The shape of tiles as users write it: NB for square ones, MBxNB for MB rows and NB columns. */
#ifndef POLLUX_COMMON_TILE_SHAPE_H
#define POLLUX_COMMON_TILE_SHAPE_H

#include <stddef.h>

/** mb rows and nb columns; mb is a multiple of nb. */
struct tile_shape {
    size_t mb, nb;
};

enum { TILE_SHAPE_TEXT_SIZE = 44 };

/** Reads "NB" or "MBxNB", whole numbers from 1 to `most`, MB a multiple of NB. A wrong text ends the
 * program with one line that names `option` (POLLUX_USAGE). */
struct tile_shape tile_shape_parse(const char *text, const char *option, size_t most);

/** Writes "NB" for a square tile, else "MBxNB", into a buffer of TILE_SHAPE_TEXT_SIZE.
 * @return text */
const char *tile_shape_text(struct tile_shape shape, char *text);

#endif
