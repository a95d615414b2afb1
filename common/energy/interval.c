/* SPDX-License-Identifier: BSD-3-Clause
 * Each zone is evaluated for itself; then mirrors are found, and the parts of each source added. */
#include "common/energy/interval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

const char *const energy_status_names[ENERGY_STATUSES] = {
    [ENERGY_MEASURED] = "measured",
    [ENERGY_TOO_SHORT] = "too-short",
    [ENERGY_UNKNOWN] = "unknown",
    [ENERGY_UNAVAILABLE] = "unavailable",
};

static void evaluate_counter(const struct energy_zone *zone, struct energy_count begin,
                             struct energy_count end, double seconds, struct zone_energy *energy)
{
    struct energy_difference difference = zone_difference(zone, begin, end, seconds);
    bool is_short = seconds < zone_shortest_seconds(zone);
    energy->status = is_short ? ENERGY_TOO_SHORT : ENERGY_MEASURED;
    if (!difference.known) {
        energy->status = ENERGY_UNKNOWN;
        snprintf(energy->reason, sizeof energy->reason, "%s", difference.reason);
    } else if (difference.joules > 0) {
        energy->joules = difference.joules;
    } else if (!is_short) {
        energy->status = ENERGY_UNKNOWN;
        snprintf(energy->reason, sizeof energy->reason, "%s: the counter stood still%s", zone->path,
                 zone->disabled ? "; its zone is switched off (enabled is 0)" : "");
    }
    if (energy->status == ENERGY_TOO_SHORT)
        snprintf(energy->reason, sizeof energy->reason,
                 "shorter than %g ms, 50 steps of the counter", 1e3 * zone_shortest_seconds(zone));
}

static void evaluate_zone(const struct energy_zone *zone, struct energy_count begin,
                          struct energy_count end, double seconds, struct zone_energy *energy)
{
    *energy = (struct zone_energy){
        .status = ENERGY_UNAVAILABLE, .joules = NAN, .mirror_of = zone->mirror_of};
    if (zone->descriptor < 0)
        snprintf(energy->reason, sizeof energy->reason, "%s", zone->reason);
    else if (zone->kind == ENERGY_POWER)
        snprintf(energy->reason, sizeof energy->reason,
                 "%.500s shows power: pollux power beside the run integrates it", zone->path);
    else
        evaluate_counter(zone, begin, end, seconds, energy);
}

/* Readings of one counter differ by a few of its steps at most; the energy of a step is not the same in
 * every one. */
static bool is_equal(const struct energy_zone *zone, double a, double b, double seconds)
{
    static const double STEPS = 4;
    double larger = a > b ? a : b;
    return fabs(a - b) <= larger * STEPS * zone->step_seconds / seconds + 2 * zone->unit;
}

/* Zen's dies each show the counter of their socket. Intel's have counters of their own, and a die of either
 * that differs is one too. */
static void find_mirrored_dies(const struct zone_list *list, double seconds,
                               struct zone_energy *energy)
{
    const struct energy_zone *zones = list->items;
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < i && energy[i].mirror_of == NO_ZONE; j++)
            if (zones[i].role == ENERGY_PACKAGE && zones[j].role == ENERGY_PACKAGE &&
                zones[i].source == zones[j].source && zones[i].socket == zones[j].socket &&
                zones[i].socket >= 0 && energy[j].mirror_of == NO_ZONE &&
                is_equal(&zones[i], energy[i].joules, energy[j].joules, seconds))
                energy[i].mirror_of = j;
}

void zone_explain_role(const struct zone_list *list, size_t zone, size_t mirror_of, bool amd,
                       char *text)
{
    const struct energy_zone *z = &list->items[zone];
    text[0] = '\0';
    if (mirror_of != NO_ZONE)
        snprintf(text, ENERGY_REASON_SIZE, "not added: the same counter as %s",
                 list->items[mirror_of].path);
    else if (z->role == ENERGY_INSIDE && amd && z->source == ENERGY_POWERCAP)
        snprintf(text, ENERGY_REASON_SIZE, "not added: one core, inside its package");
    else if (z->role == ENERGY_INSIDE)
        snprintf(text, ENERGY_REASON_SIZE, "not added: inside its package");
    else if (z->role == ENERGY_AROUND)
        snprintf(text, ENERGY_REASON_SIZE, "not added: contains the packages");
    else if (z->role == ENERGY_OTHER)
        snprintf(text, ENERGY_REASON_SIZE, "not added: not known to be a package or memory");
}

static void choose_parts(const struct zone_list *list, bool amd, struct zone_energy *energy)
{
    for (size_t i = 0; i < list->count; i++) {
        enum energy_role role = list->items[i].role;
        energy[i].is_part =
            (role == ENERGY_PACKAGE || role == ENERGY_MEMORY) && energy[i].mirror_of == NO_ZONE;
        if (!energy[i].reason[0])
            zone_explain_role(list, i, energy[i].mirror_of, amd, energy[i].reason);
    }
}

/* What a source that has zones may lack. */
static const char *const lacking[ENERGY_SOURCES] = {
    [ENERGY_POWERCAP] = "no zone of a package",
    [ENERGY_PERF] = "no event of a package, energy-pkg",
    [ENERGY_HWMON] = "no meter that is known to be a package's",
    [ENERGY_CRAY] = "no cpu_energy",
};

/* The parts of one source. The status is the worst of theirs, but what can be read in part is unknown. */
static struct energy_total add_parts(const struct zone_list *list, const struct zone_energy *energy,
                                     enum energy_source source)
{
    struct energy_total total = {.source = source, .status = ENERGY_MEASURED};
    size_t parts = 0, packages = 0, unavailable = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].source != source || !energy[i].is_part)
            continue;
        parts++;
        packages += list->items[i].role == ENERGY_PACKAGE;
        unavailable += energy[i].status == ENERGY_UNAVAILABLE;
        total.joules += energy[i].joules;
        if (energy[i].status > total.status) {
            total.status = energy[i].status;
            snprintf(total.reason, sizeof total.reason, "%s", energy[i].reason);
        }
    }
    if (unavailable > 0 && unavailable < parts)
        total.status = ENERGY_UNKNOWN;
    if (packages > 0)
        return total;
    total.status = ENERGY_UNAVAILABLE;
    total.joules = NAN;
    snprintf(total.reason, sizeof total.reason, "%s",
             zone_list_has(list, source) ? lacking[source] : list->absent[source]);
    return total;
}

/* Where nothing can be read, what each source lacks. */
static void explain_all(const struct energy_total *of_source, struct energy_total *total)
{
    total->reason[0] = '\0';
    for (int source = 0; source < ENERGY_SOURCES; source++)
        text_append(total->reason, sizeof total->reason, "%s%s: %.600s", source > 0 ? "; " : "",
                    energy_source_names[source], of_source[source].reason);
}

struct energy_total energy_of_interval(const struct zone_list *list, bool amd,
                                       const struct energy_reading *begin,
                                       const struct energy_reading *end, struct zone_energy *zones)
{
    double seconds = 1e-9 * (double)(end->ns - begin->ns);
    struct energy_total of_source[ENERGY_SOURCES];
    int best = 0;
    for (size_t i = 0; i < list->count; i++)
        evaluate_zone(&list->items[i], begin->counts[i], end->counts[i], seconds, &zones[i]);
    if (amd)
        find_mirrored_dies(list, seconds, zones);
    choose_parts(list, amd, zones);
    for (int source = 0; source < ENERGY_SOURCES; source++) {
        of_source[source] = add_parts(list, zones, (enum energy_source)source);
        if (of_source[source].status < of_source[best].status)
            best = source;
    }
    struct energy_total total = of_source[best];
    if (total.status == ENERGY_UNAVAILABLE)
        explain_all(of_source, &total);
    return total;
}
