/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/run/quantity.h"

#include "common/base/json.h"

static const char *const directions[] = {[BETTER_LESS] = "less", [BETTER_MORE] = "more"};

const struct quantity quantity_gflops = {.name = "gflops",
                                         .summary = "operations per second of the timed region",
                                         .unit = "GFlop/s",
                                         .better = BETTER_MORE};

json_t *quantity_json(const struct quantity *quantity, double value)
{
    return json_pack("{s:o, s:s, s:s}", "value", real_or_null(value), "unit", quantity->unit,
                     "better", directions[quantity->better]);
}

json_t *quantities_description(const struct quantity *quantities, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s, s:b}", "quantity", quantities[i].name, "summary",
                            quantities[i].summary, "unit", quantities[i].unit, "better",
                            directions[quantities[i].better], "term", (int)quantities[i].is_term));
    return list;
}
