/* SPDX-License-Identifier: BSD-3-Clause
 * An event counts for one package or die: on the processor that `cpumask` lists for it. The kernel adds up the
 * wraps of the hardware's counter. AMD's source power_core, with an event for every core, is not read: on
 * large machines it would take longer than the counters of the packages, which contain it. */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/energy/sources.h"

enum { PROCESSORS_MAX = 1024 };

int perf_event_opener(uint32_t type, uint64_t config, int cpu)
{
    struct perf_event_attr attributes = {.type = type, .size = sizeof attributes, .config = config};
    return (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

struct search {
    struct zone_list *list;
    const char *root;
    event_opener *open;
    char folder[SYSTEM_PATH_SIZE]; /* of all sources of events, then of one */
    uint32_t type;
    char processors[4096]; /* the longest file of sysfs */
};

/* One event, before it is opened on a processor. */
struct event {
    const char *name;
    char path[SYSTEM_PATH_SIZE];
    uint64_t config;
    double scale;
    const char *fault; /* why it cannot be opened, or NULL */
};

static void set_role(struct energy_zone *zone, const char *event)
{
    zone->most_watts = PACKAGE_WATTS;
    if (strcmp(event, "energy-pkg") == 0) {
        zone->role = ENERGY_PACKAGE;
    } else if (strcmp(event, "energy-ram") == 0) {
        zone->role = ENERGY_MEMORY;
        zone->most_watts = MEMORY_WATTS;
    } else if (strcmp(event, "energy-psys") == 0) {
        zone->role = ENERGY_AROUND;
        zone->most_watts = BOARD_WATTS;
    } else {
        zone->role = ENERGY_INSIDE;
    }
}

static void explain_refusal(const struct search *search, struct energy_zone *zone, int error)
{
    char path[SYSTEM_PATH_SIZE], level[32] = "";
    system_path(path, "%s/proc/sys/kernel/perf_event_paranoid", search->root);
    if ((error == EACCES || error == EPERM) && system_line(path, level, sizeof level) == 0)
        snprintf(
            zone->reason, sizeof zone->reason,
            "the system refuses events for all processes (kernel.perf_event_paranoid is %.20s; 0 "
            "or CAP_PERFMON permits them)",
            level);
    else
        snprintf(zone->reason, sizeof zone->reason, "perf_event_open: %s", strerror(error));
}

static void open_event(const struct search *search, const struct event *event,
                       struct energy_zone *zone, int cpu)
{
    if (event->fault) {
        snprintf(zone->reason, sizeof zone->reason, "%s: %s", event->path, event->fault);
        return;
    }
    if (!search->open) {
        snprintf(zone->reason, sizeof zone->reason,
                 "events of perf cannot be opened under POLLUX_SYSTEM_ROOT");
        return;
    }
    zone->descriptor = search->open(search->type, event->config, cpu);
    if (zone->descriptor < 0)
        explain_refusal(search, zone, errno);
}

static void add_zone(const struct search *search, const struct event *event, int cpu)
{
    char path[SYSTEM_PATH_SIZE];
    uint64_t socket;
    struct energy_zone *zone = zone_list_add(search->list, ENERGY_PERF);
    zone->kind = ENERGY_EVENT;
    zone->unit = event->scale;
    zone->range = NEVER_WRAPS;
    set_role(zone, event->name);
    system_path(zone->path, "%s", event->path);
    system_path(path, "%s/sys/devices/system/cpu/cpu%d/topology/physical_package_id", search->root,
                cpu);
    if (system_number(path, &socket) && socket < PROCESSORS_MAX)
        zone->socket = (int)socket;
    open_event(search, event, zone, cpu);
    zone_set_name(search->list, "%s@cpu%d", event->name, cpu);
}

static const char *read_event(struct event *event)
{
    char path[SYSTEM_PATH_SIZE], line[64], *end;
    if (system_line(event->path, line, sizeof line) != 0 || strncmp(line, "event=", 6) != 0)
        return "is not event=NUMBER";
    event->config = strtoull(line + 6, &end, 0);
    if (end == line + 6 || *end != '\0')
        return "is not event=NUMBER";
    system_path(path, "%s.unit", event->path);
    if (system_line(path, line, sizeof line) != 0 || strcmp(line, "Joules") != 0)
        return "its unit is not Joules";
    system_path(path, "%s.scale", event->path);
    if (system_line(path, line, sizeof line) != 0)
        return "it has no scale";
    event->scale = strtod(line, &end);
    if (end == line || !isfinite(event->scale) || event->scale <= 0)
        return "its scale is not a number above 0";
    return NULL;
}

/* The first number of a list such as "0-3,8", with the rest of the list; -1 if there is none. */
static int next_processor(char **list, int *last)
{
    char *end;
    long first = strtol(*list, &end, 10);
    if (end == *list || first < 0 || first >= 1 << 20)
        return -1;
    *last = (int)first;
    if (*end == '-') {
        long to = strtol(end + 1, &end, 10);
        *last = to >= first && to < first + PROCESSORS_MAX ? (int)to : (int)first;
    }
    *list = *end == ',' ? end + 1 : end;
    return (int)first;
}

static void add_event(void *argument, const char *name)
{
    struct search *search = argument;
    struct event event = {.name = name};
    char *processors = search->processors;
    int cpu, last;
    if (strncmp(name, "energy-", 7) != 0 || strchr(name, '.'))
        return;
    system_path(event.path, "%s/events/%s", search->folder, name);
    event.fault = read_event(&event);
    while ((cpu = next_processor(&processors, &last)) >= 0)
        for (; cpu <= last; cpu++)
            add_zone(search, &event, cpu);
}

static void add_source(void *argument, const char *name)
{
    const struct search *all = argument;
    struct search search = *all;
    char path[SYSTEM_PATH_SIZE];
    uint64_t type;
    if (strncmp(name, "power", 5) != 0 || strcmp(name, "power_core") == 0)
        return;
    system_path(search.folder, "%s/%s", all->folder, name);
    system_path(path, "%s/cpumask", search.folder);
    if (system_line(path, search.processors, sizeof search.processors) != 0)
        search.processors[0] = '\0';
    system_path(path, "%s/type", search.folder);
    if (!system_number(path, &type) || type > UINT32_MAX)
        return;
    search.type = (uint32_t)type;
    system_path(path, "%s/events", search.folder);
    system_visit(path, add_event, &search);
}

void perf_events_find(struct zone_list *list, const char *root, event_opener *open)
{
    struct search search = {.list = list, .root = root, .open = open};
    system_path(search.folder, "%s/sys/bus/event_source/devices", root);
    int error = system_visit(search.folder, add_source, &search);
    zone_list_explain(list, ENERGY_PERF, search.folder, error,
                      "source named power with events of energy");
}
