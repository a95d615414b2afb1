/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/computation/points.h"

#include <string.h>

#include "common/base/sizes.h"
#include "common/identity/blas_identity.h"

struct tile_key tile_key_of(const struct given *given, bool fastest)
{
    enum kernel_set kernels = given->options->kernels;
    return (struct tile_key){.processor = topology_processor(given->topology),
                             .kernels = kernels,
                             .core = kernels == KERNELS_BLAS ? blas_core() : NULL,
                             .benchmark = given->benchmark->name,
                             .fastest = fastest};
}

/* The tile requested, and the inner block that the tables have for this size. */
static struct tile_choice choose_tile(const struct given *given, struct tile_request request,
                                      size_t m, size_t n, size_t threads)
{
    bool fastest = request.source == TILE_FASTEST && given->benchmark->tall_tiles;
    struct tile_choice choice = default_tile(tile_key_of(given, fastest), m, n, threads);
    if (request.source == TILE_OPTION)
        choice.shape = request.shape;
    return choice;
}

static size_t inner_block(const struct given *given, size_t usual, size_t nb)
{
    size_t ib = given->options->inner > 0 ? given->options->inner : usual;
    if (!given->benchmark->inner_block)
        return 0;
    return smaller(ib, nb);
}

struct configuration configuration_of(const struct given *given, const struct point *point,
                                      const struct variant *variant)
{
    struct tile_request request = given->options->tiles.value[point->choice];
    size_t rows = given->options->rows > 0 ? given->options->rows : point->size;
    size_t m = given->file ? given->file->m : rows;
    struct tile_choice tile = choose_tile(given, request, m, point->size, point->threads);
    struct configuration c = {.benchmark = given->benchmark,
                              .variant = variant,
                              .kernels = given->options->kernels,
                              .m = m,
                              .n = point->size,
                              .mb = tile.shape.mb,
                              .nb = tile.shape.nb,
                              .tile_source = request.source,
                              .ib = inner_block(given, tile.ib, tile.shape.nb),
                              .threads = point->threads,
                              .file = given->file,
                              .interleave = given->options->first_touch ? NULL : given->topology};
    memcpy(c.parameters, point->parameter, sizeof c.parameters);
    return c;
}
