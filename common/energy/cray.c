/* SPDX-License-Identifier: BSD-3-Clause
 * Files such as cpu_energy hold "12345 J 1790000000000000 us". They are updated raw_scan_hz times a second,
 * usually 10. `energy` is the whole node, accelerators included. */
#include <stdio.h>
#include <string.h>

#include "common/energy/sources.h"

struct search {
    struct zone_list *list;
    char folder[SYSTEM_PATH_SIZE];
    double step_seconds;
};

static enum energy_role role_of(const char *file)
{
    if (strcmp(file, "cpu_energy") == 0)
        return ENERGY_PACKAGE;
    if (strcmp(file, "memory_energy") == 0)
        return ENERGY_MEMORY;
    return strcmp(file, "energy") == 0 ? ENERGY_AROUND : ENERGY_OTHER;
}

static void add_file(void *argument, const char *file)
{
    const struct search *search = argument;
    const char *end = strstr(file, "energy");
    if (!end || strcmp(end, "energy") != 0 || (end != file && end[-1] != '_'))
        return;
    struct energy_zone *zone = zone_list_add(search->list, ENERGY_CRAY);
    zone->role = role_of(file);
    zone->unit = 1.0;
    zone->range = NEVER_WRAPS;
    zone->step_seconds = search->step_seconds;
    zone->most_watts = BOARD_WATTS;
    system_path(zone->path, "%s/%s", search->folder, file);
    zone_open(zone);
    zone_set_name(search->list, "%s", file);
}

void cray_find(struct zone_list *list, const char *root)
{
    struct search search = {.list = list, .step_seconds = 0.1};
    char path[SYSTEM_PATH_SIZE];
    uint64_t hertz;
    system_path(search.folder, "%s/sys/cray/pm_counters", root);
    system_path(path, "%s/raw_scan_hz", search.folder);
    if (system_number(path, &hertz) && hertz >= 1 && hertz <= 1000)
        search.step_seconds = 1.0 / (double)hertz;
    int error = system_visit(search.folder, add_file, &search);
    zone_list_explain(list, ENERGY_CRAY, search.folder, error, "counter of energy");
}
