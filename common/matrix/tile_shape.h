/* SPDX-License-Identifier: BSD-3-Clause
 * Tiles as users write them: NB for square ones, MBxNB for MB rows and NB columns, or a word for those of
 * a table. */
#ifndef POLLUX_COMMON_TILE_SHAPE_H
#define POLLUX_COMMON_TILE_SHAPE_H

#include <stddef.h>

#include "common/base/number_list.h"

/** mb rows and nb columns; mb is a multiple of nb. */
struct tile_shape {
    size_t mb, nb;
};

/** Where a tile comes from. */
enum tile_source {
    TILE_TABLE,   /**< the table of square tiles (common/matrix/default_tile.h): none was given */
    TILE_FASTEST, /**< the table of the fastest tiles: "fastest" */
    TILE_OPTION   /**< its shape was given */
};

/** Their names in records. */
extern const char *const tile_source_names[];

/** A tile as requested. */
struct tile_request {
    enum tile_source source;
    struct tile_shape shape; /**< where it was given */
};

/** Tiles given as "NB,MBxNB,fastest,…" or "START:STOP:STEP", in the order given; count 0: not given. */
struct tile_list {
    size_t count;
    struct tile_request value[LIST_MAX];
};

enum { TILE_SHAPE_TEXT_SIZE = 44 };

/** Reads "NB" or "MBxNB", whole numbers from 1 to `most`, MB a multiple of NB. Invalid text ends the
 * program with one line that names `option` (POLLUX_USAGE). */
struct tile_shape tile_shape_parse(const char *text, const char *option, size_t most);

/** Reads a list of tiles; a range has square ones only. Errors as in tile_shape_parse. */
struct tile_list tile_list_parse(const char *text, const char *option);

/** Writes "NB" for a square tile, else "MBxNB", into a buffer of TILE_SHAPE_TEXT_SIZE.
 * @return text */
const char *tile_shape_text(struct tile_shape shape, char *text);

#endif
