/* SPDX-License-Identifier: BSD-3-Clause
 * What a point of the plan stands for: the options, and the tables of tiles where these say nothing. */
#include <limits.h>
#include <string.h>

#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/computation/session.h"
#include "common/identity/blas_identity.h"
#include "common/matrix/default_tile.h"

/* Of rows and columns: their number with padding (tile_leading_dimension) is an integer of LAPACK. */
enum { ORDER_MAX = INT_MAX - 15 };

static const struct topology *machine(void)
{
    if (!current.topology)
        current.topology = topology_create();
    if (!current.topology)
        message_fatal(POLLUX_MACHINE, "hwloc cannot read this machine's topology");
    return current.topology;
}

/* What the tables of tiles are asked for; `fastest`: of any shape. */
static struct tile_key tile_key_of(bool fastest)
{
    enum kernel_set kernels = current.options.kernels;
    return (struct tile_key){.processor = topology_processor(machine()),
                             .kernels = kernels,
                             .core = kernels == KERNELS_BLAS ? blas_core() : NULL,
                             .benchmark = current.benchmark->name,
                             .fastest = fastest};
}

bool tiles_are_guessed(void)
{
    const struct tile_list *tiles = &current.options.tiles;
    for (size_t i = 0; i < tiles->count; i++) {
        enum tile_source source = tiles->value[i].source;
        if (source != TILE_OPTION && default_tile_is_guess(tile_key_of(source == TILE_FASTEST)))
            return true;
    }
    return false;
}

/* The tile requested, and the inner block that the tables have for this size. */
static struct tile_choice choose_tile(struct tile_request request, size_t m, size_t n,
                                      size_t threads)
{
    bool fastest = request.source == TILE_FASTEST && current.benchmark->tall_tiles;
    struct tile_choice choice = default_tile(tile_key_of(fastest), m, n, threads);
    if (request.source == TILE_OPTION)
        choice.shape = request.shape;
    return choice;
}

static size_t inner_block(size_t usual, size_t nb)
{
    size_t ib = current.options.inner > 0 ? current.options.inner : usual;
    return current.benchmark->inner_block ? smaller(ib, nb) : 0;
}

struct configuration listed_configuration(const struct point *point)
{
    const struct computation_options *o = &current.options;
    const struct dense_matrix *file = o->matrix_path ? &current.file : NULL;
    struct tile_request request = o->tiles.value[point->choice];
    size_t rows = o->rows > 0 ? o->rows : point->size, m = file ? file->m : rows;
    struct tile_choice tile = choose_tile(request, m, point->size, point->threads);
    struct configuration c = {.benchmark = current.benchmark,
                              .kernels = o->kernels,
                              .m = m,
                              .n = point->size,
                              .mb = tile.shape.mb,
                              .nb = tile.shape.nb,
                              .tile_source = request.source,
                              .ib = inner_block(tile.ib, tile.shape.nb),
                              .threads = point->threads,
                              .file = file,
                              .interleave = o->first_touch ? NULL : machine()};
    memcpy(c.parameters, point->parameter, sizeof c.parameters);
    if (larger(c.m, c.n) > ORDER_MAX)
        message_fatal(POLLUX_USAGE,
                      "%zu x %zu is too large a matrix: at most %d rows and columns are allowed",
                      c.m, c.n, ORDER_MAX);
    return c;
}

struct configuration planned_configuration(const struct point *point)
{
    const struct benchmark *b = current.benchmark;
    struct configuration c = listed_configuration(point);
    c.variant = b->variant_for ? b->variant_for(point->index, point->parameter)
                               : &b->variants[point->index];
    c.threads = point_threads(point); /* after the tile, which all variants share */
    return c;
}
