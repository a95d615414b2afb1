/* SPDX-License-Identifier: BSD-3-Clause
 * Both kinds of files count thousandths: of degrees, and MHz as kHz. */
#include "common/energy/sensors.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/energy/sources.h"

struct search {
    struct sensor_list *list;
    char folder[SYSTEM_PATH_SIZE];
    char driver[40];
};

static int is_taken(const struct sensor_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return 1;
    return 0;
}

/* Keeps the sensor if it can be opened and shows a number now. */
static void add(struct sensor_list *list, const char *path, const char *name, const char *unit)
{
    struct sensor sensor = {.unit = unit};
    sensor.descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (sensor.descriptor < 0) {
        list->is_cut |= errno == EMFILE;
        return;
    }
    list->items = grown(list->items, list->count, &list->capacity, sizeof sensor, "sensors");
    snprintf(sensor.name, sizeof sensor.name, "%s", name);
    for (unsigned number = 2; is_taken(list, sensor.name); number++)
        snprintf(sensor.name, sizeof sensor.name, "%.80s#%u", name, number);
    if (isfinite(sensor_read(&sensor)))
        list->items[list->count++] = sensor;
    else
        close(sensor.descriptor);
}

static void visit(struct search *search, void (*add_from)(void *search, const char *name))
{
    search->list->is_cut |= system_visit(search->folder, add_from, search) == EMFILE;
}

static void add_temperature(void *argument, const char *file)
{
    const struct search *search = argument;
    char path[SYSTEM_PATH_SIZE], label[40], name[ENERGY_NAME_SIZE];
    int number = 0, end = 0;
    if (sscanf(file, "temp%d_input%n", &number, &end) != 1 || end == 0 || file[end])
        return;
    system_path(path, "%s/temp%d_label", search->folder, number);
    if (system_line(path, label, sizeof label) != 0 || !label[0])
        snprintf(label, sizeof label, "temp%d", number);
    snprintf(name, sizeof name, "%s/%s", search->driver, label);
    zone_plain_name(name);
    system_path(path, "%s/%s", search->folder, file);
    add(search->list, path, name, "C");
}

static void add_monitor(void *argument, const char *monitor)
{
    struct search search = *(const struct search *)argument;
    char path[SYSTEM_PATH_SIZE];
    hwmon_find_driver(search.folder, monitor, search.driver, sizeof search.driver);
    system_path(path, "%s/%s", search.folder, monitor);
    memcpy(search.folder, path, sizeof path);
    visit(&search, add_temperature);
}

static void add_thermal_zone(void *argument, const char *zone)
{
    const struct search *search = argument;
    char path[SYSTEM_PATH_SIZE], type[40], name[ENERGY_NAME_SIZE];
    if (strncmp(zone, "thermal_zone", 12) != 0)
        return;
    system_path(path, "%s/%s/type", search->folder, zone);
    if (system_line(path, type, sizeof type) != 0 || !type[0])
        snprintf(type, sizeof type, "%.30s", zone);
    snprintf(name, sizeof name, "thermal/%s", type);
    zone_plain_name(name);
    system_path(path, "%s/%s/temp", search->folder, zone);
    add(search->list, path, name, "C");
}

static void add_processor(void *argument, const char *processor)
{
    const struct search *search = argument;
    char path[SYSTEM_PATH_SIZE];
    if (strncmp(processor, "cpu", 3) != 0 || !isdigit((unsigned char)processor[3]))
        return;
    system_path(path, "%s/%s/cpufreq/scaling_cur_freq", search->folder, processor);
    add(search->list, path, processor, "MHz");
}

struct sensor_list sensors_open(const char *root)
{
    struct sensor_list list = {0};
    struct search search = {.list = &list};
    system_path(search.folder, "%s/sys/class/hwmon", root);
    visit(&search, add_monitor);
    system_path(search.folder, "%s/sys/class/thermal", root);
    visit(&search, add_thermal_zone);
    system_path(search.folder, "%s/sys/devices/system/cpu", root);
    visit(&search, add_processor);
    return list;
}

void sensors_close(struct sensor_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        close(list->items[i].descriptor);
    free(list->items);
    *list = (struct sensor_list){0};
}

double sensor_read(const struct sensor *sensor)
{
    char text[32], *end;
    ssize_t bytes = pread(sensor->descriptor, text, sizeof text - 1, 0);
    if (bytes <= 0)
        return NAN;
    text[bytes] = '\0';
    long value = strtol(text, &end, 10);
    return end == text || (*end != '\n' && *end != '\0') ? NAN : 1e-3 * (double)value;
}
