/* SPDX-License-Identifier: BSD-3-Clause
 * Sizes vary slowest, then tiles, threads and variants. */
#include "common/driver/plan.h"

#include <stdlib.h>

#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/execution/team.h"
#include "common/matrix/default_tile.h"

enum { DEFAULT_SIZE = 2048 };

static struct number_list or_default(const struct number_list *list, size_t value)
{
    return list->count > 0 ? *list : (struct number_list){.count = 1, .value = {value}};
}

/* The tile requested, and the inner block that the tables have for this size. */
static struct tile_choice choose_tile(const struct planning *p, struct tile_request request,
                                      size_t m, size_t n, size_t threads)
{
    bool fastest = request.source == TILE_FASTEST && p->benchmark->tall_tiles;
    struct tile_key key = {.processor = topology_processor(p->topology),
                           .kernels = p->options->kernels,
                           .benchmark = p->benchmark->name,
                           .fastest = fastest};
    struct tile_choice choice = default_tile(key, m, n, threads);
    if (request.source == TILE_OPTION)
        choice.shape = request.shape;
    return choice;
}

static size_t inner_block(const struct planning *p, size_t usual, size_t nb)
{
    size_t ib = p->options->inner > 0 ? p->options->inner : usual;
    if (!p->benchmark->inner_block)
        return 0;
    return smaller(ib, nb);
}

static struct configuration configuration_of(const struct planning *p, size_t n,
                                             struct tile_request request, size_t threads,
                                             const struct variant *variant)
{
    size_t rows = p->options->rows > 0 ? p->options->rows : n;
    size_t m = p->file ? p->file->m : rows;
    struct tile_choice tile = choose_tile(p, request, m, n, threads);
    return (struct configuration){.benchmark = p->benchmark,
                                  .variant = variant,
                                  .kernels = p->options->kernels,
                                  .m = m,
                                  .n = n,
                                  .mb = tile.shape.mb,
                                  .nb = tile.shape.nb,
                                  .tile_source = request.source,
                                  .ib = inner_block(p, tile.ib, tile.shape.nb),
                                  .threads = threads,
                                  .file = p->file,
                                  .interleave = p->options->first_touch ? NULL : p->topology};
}

struct plan plan_create(const struct planning *p, const struct variant *const *variants,
                        size_t variant_count)
{
    static const struct variant *const none[] = {NULL};
    const struct options *o = p->options;
    if (variant_count == 0) {
        variants = none;
        variant_count = 1;
    }
    struct number_list sizes = or_default(&o->sizes, p->file ? p->file->n : DEFAULT_SIZE);
    struct tile_list tiles = o->tiles.count > 0 ? o->tiles : (struct tile_list){.count = 1};
    struct number_list threads = o->threads;
    if (o->graph) /* the same for all teams */
        threads = (struct number_list){.count = 1, .value = {1}};
    else if (threads.count == 0)
        threads = (struct number_list){.count = 1, .value = {team_default_threads()}};
    size_t most = sizes.count * tiles.count * threads.count * variant_count;
    struct plan plan = {.items = calloc(most, sizeof *plan.items)};
    if (!plan.items)
        message_fatal(POLLUX_MACHINE, "no memory for %zu configurations", most);
    for (size_t n = 0; n < sizes.count; n++)
        for (size_t b = 0; b < tiles.count; b++)
            for (size_t t = 0; t < threads.count; t++)
                for (size_t v = 0; v < variant_count; v++)
                    if (t == 0 || !variants[v] || !variants[v]->sequential)
                        plan.items[plan.count++] = configuration_of(
                            p, sizes.value[n], tiles.value[b], threads.value[t], variants[v]);
    return plan;
}

void plan_destroy(struct plan *plan)
{
    free(plan->items);
}
