/* SPDX-License-Identifier: BSD-3-Clause
 * A monitor's files, its name among them, are in its folder or, with old drivers, in that of its device. Only
 * those are parts whose place is known: the sockets of amd_energy and of Nvidia's Grace. Any other may be a
 * graphics card, a disk or the whole board. The cores of amd_energy are not read: there is one for each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/energy/sources.h"

struct search {
    struct zone_list *list;
    char class[SYSTEM_PATH_SIZE];
    char folder[SYSTEM_PATH_SIZE]; /* of the files of one monitor */
    char driver[40];
};

/* The sockets of Grace. Module contains Grace, Grace contains CPU and SysIO: only one of them may be added. */
static void set_grace_role(struct energy_zone *zone, const char *label)
{
    static const struct {
        const char *label;
        enum energy_role role;
    } meters[] = {{"Module Power Socket ", ENERGY_AROUND},
                  {"Grace Power Socket ", ENERGY_PACKAGE},
                  {"CPU Power Socket ", ENERGY_INSIDE},
                  {"SysIO Power Socket ", ENERGY_INSIDE}};
    for (size_t i = 0; i < sizeof meters / sizeof *meters; i++)
        if (strncmp(label, meters[i].label, strlen(meters[i].label)) == 0) {
            zone->role = meters[i].role;
            zone->socket = atoi(label + strlen(meters[i].label));
        }
}

static void set_role(struct energy_zone *zone, const char *driver, const char *label)
{
    zone->most_watts = BOARD_WATTS;
    if (strcmp(driver, "amd_energy") == 0 && strncmp(label, "Esocket", 7) == 0) {
        zone->role = ENERGY_PACKAGE;
        zone->most_watts = PACKAGE_WATTS;
        zone->socket = atoi(label + 7);
    } else if (strcmp(driver, "power_meter") == 0) {
        set_grace_role(zone, label);
    }
}

/* What the driver calls meter `kind` `number`, else "energy1". */
static void find_label(const struct search *search, const char *kind, int number, char *label,
                       size_t size)
{
    static const char *const names[] = {"label", "oem_info"};
    char path[SYSTEM_PATH_SIZE];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        system_path(path, "%s/%s%d_%s", search->folder, kind, number, names[i]);
        if (system_line(path, label, size) == 0 && label[0])
            return;
    }
    snprintf(label, size, "%s%d", kind, number);
}

static void add_meter(const struct search *search, const char *file, const char *kind, int number)
{
    char label[ENERGY_NAME_SIZE / 2];
    find_label(search, kind, number, label, sizeof label);
    if (strcmp(search->driver, "amd_energy") == 0 && strncmp(label, "Ecore", 5) == 0)
        return;
    struct energy_zone *zone = zone_list_add(search->list, ENERGY_HWMON);
    zone->kind = kind[0] == 'p' ? ENERGY_POWER : ENERGY_TEXT;
    zone->range = NEVER_WRAPS;
    set_role(zone, search->driver, label);
    system_path(zone->path, "%s/%s", search->folder, file);
    zone_open(zone);
    zone_set_name(search->list, "%s/%s", search->driver, label);
}

/* A meter shows its average or its momentary power, or both: then the average is taken. */
static bool has_average(const struct search *search, int number)
{
    char path[SYSTEM_PATH_SIZE];
    system_path(path, "%s/power%d_average", search->folder, number);
    return access(path, F_OK) == 0;
}

static void add_file(void *argument, const char *file)
{
    const struct search *search = argument;
    int number = 0, end = 0;
    if (sscanf(file, "energy%d_input%n", &number, &end) == 1 && end > 0 && !file[end])
        add_meter(search, file, "energy", number);
    end = 0;
    if (sscanf(file, "power%d_average%n", &number, &end) == 1 && end > 0 && !file[end])
        add_meter(search, file, "power", number);
    end = 0;
    if (sscanf(file, "power%d_input%n", &number, &end) == 1 && end > 0 && !file[end] &&
        !has_average(search, number))
        add_meter(search, file, "power", number);
}

void hwmon_find_driver(const char *monitors, const char *monitor, char *driver, size_t size)
{
    static const char *const names[] = {"name", "device/name"};
    char path[SYSTEM_PATH_SIZE];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        system_path(path, "%s/%s/%s", monitors, monitor, names[i]);
        if (system_line(path, driver, size) == 0 && driver[0])
            return;
    }
    snprintf(driver, size, "%.30s", monitor);
}

static void add_monitor(void *argument, const char *name)
{
    const struct search *all = argument;
    struct search search = *all;
    hwmon_find_driver(all->class, name, search.driver, sizeof search.driver);
    system_path(search.folder, "%s/%s", all->class, name);
    system_visit(search.folder, add_file, &search);
    system_path(search.folder, "%s/%s/device", all->class, name);
    system_visit(search.folder, add_file, &search);
}

void hwmon_find(struct zone_list *list, const char *root)
{
    struct search search = {.list = list};
    system_path(search.class, "%s/sys/class/hwmon", root);
    int error = system_visit(search.class, add_monitor, &search);
    zone_list_explain(list, ENERGY_HWMON, search.class, error, "meter of energy or power");
}
