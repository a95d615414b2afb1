/* SPDX-License-Identifier: BSD-3-Clause
 * The answer to --graph. */
#include <string.h>

#include "common/computation/session.h"
#include "common/output/graph_file.h"

/* Graphs are the same for all teams, but for default tiles. */
static bool is_described(const struct plan *plan, size_t number)
{
    const struct point point = plan->points[number];
    const struct configuration c = planned_configuration(&point);
    for (size_t i = 0; i < number; i++) {
        struct point alike = plan->points[i];
        alike.threads = point.threads;
        if (memcmp(&alike, &point, sizeof point) != 0)
            continue;
        const struct configuration before = planned_configuration(&plan->points[i]);
        if (before.mb == c.mb && before.nb == c.nb && before.ib == c.ib)
            return true;
    }
    return false;
}

void describe_graphs(const struct plan *plan, const struct setup *setup)
{
    const struct record_choices chosen = choices_of_records();
    for (size_t i = 0; i < plan->count; i++) {
        const struct configuration c = planned_configuration(&plan->points[i]);
        configuration_require(&c);
    }
    current.events = event_file_open(current.options.graph);
    give_notice(plan);
    struct record_context context = record_context_create(setup, &chosen, NULL);
    json_t *identity =
        json_pack("{s:O, s:O}", "runtime", context.runtime, "compiler", context.compiler);
    current.tool = task_tool_find(&setup->runtime);
    for (size_t i = 0; i < plan->count; i++) {
        if (is_described(plan, i))
            continue;
        struct configuration c = planned_configuration(&plan->points[i]);
        json_object_set_new(
            identity, "concurrent_write",
            concurrent_write_json(c.variant->concurrent_write,
                                  variant_observed(&current.availability, c.variant)));
        c.interleave = NULL;
        c.threads = 1;
        graph_write(&current.events, &c, current.tool, identity);
    }
    json_decref(identity);
    event_file_close(&current.events);
    record_context_destroy(&context);
}
