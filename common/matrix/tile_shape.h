/* SPDX-License-Identifier: BSD-3-Clause
 * The shape of tiles as users write it: NB for square ones, MBxNB for MB rows and NB columns. */
#ifndef POLLUX_COMMON_TILE_SHAPE_H
#define POLLUX_COMMON_TILE_SHAPE_H

#include <stddef.h>

#include "common/base/number_list.h"

/** mb rows and nb columns; mb is a multiple of nb. */
struct tile_shape {
    size_t mb, nb;
};

/** Tiles given as "NB,MBxNB,…" or "START:STOP:STEP", in the order given; count 0: not given. */
struct tile_list {
    size_t count;
    struct tile_shape value[LIST_MAX];
};

enum { TILE_SHAPE_TEXT_SIZE = 44 };

/** Reads "NB" or "MBxNB", whole numbers from 1 to `most`, MB a multiple of NB. Invalid text ends the
 * program with one line that names `option` (POLLUX_USAGE). */
struct tile_shape tile_shape_parse(const char *text, const char *option, size_t most);

/** Reads a list of tiles; a range has square ones only. As tile_shape_parse otherwise. */
struct tile_list tile_list_parse(const char *text, const char *option);

/** Writes "NB" for a square tile, else "MBxNB", into a buffer of TILE_SHAPE_TEXT_SIZE.
 * @return text */
const char *tile_shape_text(struct tile_shape shape, char *text);

#endif
