/* SPDX-License-Identifier: BSD-3-Clause
 * Sizes vary slowest, then tiles, parameters, threads and variants. */
#include "common/driver/plan.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/driver/benchmark_options.h"
#include "common/execution/team.h"
#include "common/matrix/default_tile.h"
#include "common/run/parameters.h"

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

/* What a configuration is besides its variant. */
struct point {
    size_t n, threads;
    struct tile_request request;
    size_t parameters[PARAMETERS_MAX];
    bool first_team, first[PARAMETERS_MAX]; /* the values are the first of their axes */
};

static struct configuration configuration_of(const struct planning *p, const struct point *at,
                                             const struct variant *variant)
{
    size_t rows = p->options->rows > 0 ? p->options->rows : at->n;
    size_t m = p->file ? p->file->m : rows;
    struct tile_choice tile = choose_tile(p, at->request, m, at->n, at->threads);
    struct configuration c = {.benchmark = p->benchmark,
                              .variant = variant,
                              .kernels = p->options->kernels,
                              .m = m,
                              .n = at->n,
                              .mb = tile.shape.mb,
                              .nb = tile.shape.nb,
                              .tile_source = at->request.source,
                              .ib = inner_block(p, tile.ib, tile.shape.nb),
                              .threads = at->threads,
                              .file = p->file,
                              .interleave = p->options->first_touch ? NULL : p->topology};
    memcpy(c.parameters, at->parameters, sizeof c.parameters);
    return c;
}

/* All combinations, numbered: of each axis, the values in the order given. */
struct axes {
    struct number_list sizes, parameters[PARAMETERS_MAX], threads;
    struct tile_list tiles;
    size_t parameter_count;
};

static struct axes axes_of(const struct planning *p)
{
    const struct options *o = p->options;
    struct axes axes = {.parameter_count = p->benchmark->parameter_count};
    axes.sizes = or_default(&o->sizes, p->file ? p->file->n : standard_size(p->benchmark));
    axes.tiles = o->tiles.count > 0 ? o->tiles : (struct tile_list){.count = 1};
    for (size_t i = 0; i < axes.parameter_count; i++)
        axes.parameters[i] = or_default(&o->parameters[i], p->benchmark->parameters[i].standard);
    axes.threads = o->shared.threads;
    if (o->graph) /* the same for all teams */
        axes.threads = (struct number_list){.count = 1, .value = {1}};
    else if (axes.threads.count == 0)
        axes.threads = (struct number_list){.count = 1, .value = {team_default_threads()}};
    return axes;
}

/* How many points there are; SIZE_MAX if that overflows. */
static size_t points_of(const struct axes *axes)
{
    size_t count = saturating_multiply(axes->sizes.count, axes->tiles.count);
    for (size_t i = 0; i < axes->parameter_count; i++)
        count = saturating_multiply(count, axes->parameters[i].count);
    return saturating_multiply(count, axes->threads.count);
}

/* The next digit of a point's number, which is written in as many digits as there are axes. */
static size_t digit(size_t *number, size_t base)
{
    size_t value = *number % base;
    *number /= base;
    return value;
}

static struct point point_of(const struct axes *axes, size_t number)
{
    struct point at;
    size_t place = digit(&number, axes->threads.count);
    at.threads = axes->threads.value[place];
    at.first_team = place == 0;
    for (size_t i = axes->parameter_count; i-- > 0;) {
        place = digit(&number, axes->parameters[i].count);
        at.parameters[i] = axes->parameters[i].value[place];
        at.first[i] = place == 0;
    }
    at.request = axes->tiles.value[digit(&number, axes->tiles.count)];
    at.n = axes->sizes.value[number];
    return at;
}

/* Whether a variant is planned at this point. One that lacks an axis, as a sequential one lacks that of threads, is
 * planned for the axis' first value only. */
static bool is_planned(const struct planning *p, const struct point *at,
                       const struct variant *variant)
{
    bool planned = at->first_team || !variant || !variant->sequential;
    for (size_t i = 0; i < p->benchmark->parameter_count; i++)
        planned =
            planned && (at->first[i] || parameter_concerns(&p->benchmark->parameters[i], variant));
    return planned;
}

struct plan plan_create(const struct planning *p, const struct variant *const *variants,
                        size_t variant_count)
{
    static const struct variant *const none[] = {NULL};
    if (variant_count == 0) {
        variants = none;
        variant_count = 1;
    }
    struct axes axes = axes_of(p);
    size_t points = points_of(&axes);
    size_t most = saturating_multiply(points, variant_count);
    struct plan plan = {.items = calloc(most, sizeof *plan.items)};
    if (!plan.items)
        message_fatal(POLLUX_MACHINE, "no memory for %zu configurations", most);
    for (size_t i = 0; i < points; i++) {
        struct point at = point_of(&axes, i);
        for (size_t v = 0; v < variant_count; v++)
            if (is_planned(p, &at, variants[v]))
                plan.items[plan.count++] = configuration_of(p, &at, variants[v]);
    }
    return plan;
}

void plan_destroy(struct plan *plan)
{
    free(plan->items);
}
