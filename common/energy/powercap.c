/* SPDX-License-Identifier: BSD-3-Clause
 * The class folder has a link to each zone: intel-rapl:1 is a zone, intel-rapl:1:0 one inside it. Each is read
 * there, once, and no folder is entered, since links inside the zones lead back to others. What a zone is and
 * its socket follow from its name, never from its number: psys may be intel-rapl:1, between two packages. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/energy/sources.h"

/* The zones of model-specific registers, TPMI and memory-mapped registers. The last usually mirror the first. */
static const char *const controls[] = {"intel-rapl:", "intel-rapl-tpmi:", "intel-rapl-mmio:"};

struct search {
    struct zone_list *list;
    char folder[SYSTEM_PATH_SIZE];
    const char *control;
    size_t others; /* zones of the control types before this one */
};

/* The name of a zone with those that it is in: "package-0/dram". */
static void full_name(const struct search *search, const char *zone, char *name)
{
    char path[SYSTEM_PATH_SIZE], own[ENERGY_NAME_SIZE / 2], above[64],
        prefix[ENERGY_NAME_SIZE] = "";
    system_path(path, "%s/%s/name", search->folder, zone);
    if (system_line(path, own, sizeof own) != 0 || !own[0])
        snprintf(own, sizeof own, "%.40s", zone);
    snprintf(above, sizeof above, "%s", zone);
    char *last = strrchr(above, ':');
    if (last && strchr(above, ':') != last) {
        *last = '\0';
        full_name(search, above, prefix);
    }
    snprintf(name, ENERGY_NAME_SIZE, "%.40s%s%.48s", prefix, prefix[0] ? "/" : "", own);
}

static void set_role(struct energy_zone *zone, const char *name)
{
    const char *slash = strrchr(name, '/'), *own = slash ? slash + 1 : name;
    zone->most_watts = PACKAGE_WATTS;
    if (strncmp(own, "package-", 8) == 0) {
        zone->role = ENERGY_PACKAGE;
        if (isdigit((unsigned char)own[8]))
            zone->socket = atoi(own + 8);
    } else if (strcmp(own, "dram") == 0) {
        zone->role = ENERGY_MEMORY;
        zone->most_watts = MEMORY_WATTS;
    } else if (strcmp(own, "core") == 0 || strcmp(own, "uncore") == 0) {
        zone->role = ENERGY_INSIDE;
    } else {
        zone->role = strcmp(own, "psys") == 0 ? ENERGY_AROUND : ENERGY_OTHER;
        zone->most_watts = BOARD_WATTS;
    }
}

/* Whether a zone has this name, before what tells it from its mirrors. */
static bool is_called(const struct energy_zone *zone, const char *name)
{
    size_t length = strlen(name);
    return strncmp(zone->name, name, length) == 0 &&
           (zone->name[length] == '\0' || zone->name[length] == '@');
}

/* A zone of another control type with this name, which is the same hardware; of several, the one that is used. */
static size_t twin_of(const struct search *search, const char *name)
{
    const struct energy_zone *zones = search->list->items;
    for (size_t i = 0; i < search->others; i++)
        if (zones[i].mirror_of == NO_ZONE && is_called(&zones[i], name))
            return i;
    return NO_ZONE;
}

/* Of two zones that show one counter, the first that can be read is used. */
static void link_mirrors(struct zone_list *list, size_t first, size_t second)
{
    struct energy_zone *zones = list->items;
    if (zones[first].descriptor < 0 && zones[second].descriptor >= 0)
        zones[first].mirror_of = second;
    else
        zones[second].mirror_of = first;
}

static void add_zone(void *argument, const char *zone_name)
{
    const struct search *search = argument;
    char name[ENERGY_NAME_SIZE], path[SYSTEM_PATH_SIZE];
    uint64_t enabled;
    if (strncmp(zone_name, search->control, strlen(search->control)) != 0)
        return;
    full_name(search, zone_name, name);
    struct energy_zone *zone = zone_list_add(search->list, ENERGY_POWERCAP);
    size_t own = search->list->count - 1, twin = twin_of(search, name);
    system_path(zone->path, "%s/%s/energy_uj", search->folder, zone_name);
    set_role(zone, name);
    zone_open(zone);
    system_path(path, "%s/%s/max_energy_range_uj", search->folder, zone_name);
    if (!system_number(path, &zone->range))
        zone->range = 0;
    system_path(path, "%s/%s/enabled", search->folder, zone_name);
    zone->disabled = system_number(path, &enabled) && enabled == 0;
    if (twin != NO_ZONE)
        link_mirrors(search->list, twin, own);
    if (twin == NO_ZONE)
        zone_set_name(search->list, "%s", name);
    else
        zone_set_name(search->list, "%.60s@%.*s", name, (int)strlen(search->control) - 1,
                      search->control);
}

void powercap_find(struct zone_list *list, const char *root)
{
    struct search search = {.list = list};
    int error = 0;
    system_path(search.folder, "%s/sys/class/powercap", root);
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        search.control = controls[i];
        search.others = list->count;
        error = system_visit(search.folder, add_zone, &search);
    }
    zone_list_explain(list, ENERGY_POWERCAP, search.folder, error, "zone of RAPL");
}
