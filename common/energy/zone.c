/* SPDX-License-Identifier: BSD-3-Clause
 * Files stay open, so that reading one is a single system call. */
#include "common/energy/zone.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"

const char *const energy_source_names[ENERGY_SOURCES] = {
    [ENERGY_POWERCAP] = "powercap",
    [ENERGY_PERF] = "perf",
    [ENERGY_HWMON] = "hwmon",
    [ENERGY_CRAY] = "cray",
};

struct energy_zone *zone_list_add(struct zone_list *list, enum energy_source source)
{
    list->items = grown(list->items, list->count, &list->capacity, sizeof *list->items, "zones");
    struct energy_zone *zone = &list->items[list->count++];
    *zone = (struct energy_zone){.source = source,
                                 .role = ENERGY_OTHER,
                                 .kind = ENERGY_TEXT,
                                 .socket = -1,
                                 .unit = 1e-6,
                                 .step_seconds = 1e-3,
                                 .mirror_of = NO_ZONE,
                                 .descriptor = -1};
    return zone;
}

static bool is_taken(const struct zone_list *list, const struct energy_zone *zone)
{
    for (size_t i = 0; i + 1 < list->count; i++)
        if (list->items[i].source == zone->source && strcmp(list->items[i].name, zone->name) == 0)
            return true;
    return false;
}

/* What is read is the text of drivers: a label may hold anything. */
void zone_plain_name(char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  " -_./:#+()@";
    for (char *c = name; *c; c++)
        if (!strchr(allowed, *c))
            *c = '_';
}

void zone_set_name(struct zone_list *list, const char *format, ...)
{
    struct energy_zone *zone = &list->items[list->count - 1];
    char name[ENERGY_NAME_SIZE - 8];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    zone_plain_name(name);
    snprintf(zone->name, sizeof zone->name, "%s", name);
    for (unsigned number = 2; is_taken(list, zone); number++)
        snprintf(zone->name, sizeof zone->name, "%s#%u", name, number % 100000);
}

void zone_open(struct energy_zone *zone)
{
    /* A pipe in place of a counter would otherwise wait for a writer. */
    zone->descriptor = open(zone->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (zone->descriptor < 0 && (errno == EACCES || errno == EPERM))
        snprintf(zone->reason, sizeof zone->reason,
                 "%s is not readable (%s): pollux doctor shows how to permit it", zone->path,
                 strerror(errno));
    else if (zone->descriptor < 0)
        snprintf(zone->reason, sizeof zone->reason, "%s is not readable (%s)", zone->path,
                 strerror(errno));
}

bool zone_list_has(const struct zone_list *list, enum energy_source source)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].source == source)
            return true;
    return false;
}

void zone_list_explain(struct zone_list *list, enum energy_source source, const char *folder,
                       int error, const char *needed)
{
    char *text = list->absent[source];
    if (zone_list_has(list, source))
        return;
    if (error == ENOENT)
        snprintf(text, ENERGY_REASON_SIZE, "there is no %.500s", folder);
    else if (error != 0)
        snprintf(text, ENERGY_REASON_SIZE, "%.500s: %s", folder, strerror(error));
    else
        snprintf(text, ENERGY_REASON_SIZE, "no %s in %.500s", needed, folder);
}

void zone_list_free(struct zone_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].descriptor >= 0)
            close(list->items[i].descriptor);
    free(list->items);
    *list = (struct zone_list){0};
}
