/* SPDX-License-Identifier: BSD-3-Clause
 * Finding takes some milliseconds, reading a system call for each counter. */
#include "common/energy/meter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/memory.h"
#include "common/base/system_file.h"
#include "common/energy/hypervisor.h"

/* The vendor and the hypervisor's flag of x86; other processors state neither. */
static void read_processor(struct energy_meter *meter, const char *root)
{
    char path[SYSTEM_PATH_SIZE], *line = NULL;
    size_t size = 0;
    bool has_flags = false;
    system_path(path, "%s/proc/cpuinfo", root);
    FILE *file = fopen(path, "r");
    while (file && !has_flags && getline(&line, &size, file) >= 0) {
        if (strncmp(line, "vendor_id", 9) == 0)
            meter->amd = strstr(line, "AuthenticAMD") || strstr(line, "HygonGenuine");
        has_flags = strncmp(line, "flags", 5) == 0; /* all processors have the same */
        if (has_flags)
            meter->is_virtual = strstr(line, " hypervisor") != NULL;
    }
    if (!has_flags)
        meter->is_virtual = firmware_is_virtual(root);
    free(line);
    if (file)
        fclose(file);
}

struct energy_meter *energy_meter_create_at(const char *root, event_opener *open)
{
    struct energy_meter *meter = zeros(1, sizeof *meter);
    struct zone_list *list = &meter->list;
    powercap_find(list, root);
    perf_events_find(list, root, open);
    hwmon_find(list, root);
    cray_find(list, root);
    read_processor(meter, root);
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].descriptor >= 0 && list->items[i].kind != ENERGY_POWER)
            meter->can_read = true;
    meter->begin.counts = zeros(list->count, sizeof *meter->begin.counts);
    meter->end.counts = zeros(list->count, sizeof *meter->end.counts);
    meter->zones = zeros(list->count, sizeof *meter->zones);
    energy_meter_evaluate(meter);
    return meter;
}

struct energy_meter *energy_meter_create(void)
{
    const char *root = system_root();
    return energy_meter_create_at(root, root[0] ? NULL : perf_event_opener);
}

void energy_meter_destroy(struct energy_meter *meter)
{
    if (!meter)
        return;
    zone_list_free(&meter->list);
    free(meter->begin.counts);
    free(meter->end.counts);
    free(meter->zones);
    free(meter);
}

void energy_meter_read(const struct energy_meter *meter, int64_t ns, struct energy_reading *reading)
{
    reading->ns = ns;
    for (size_t i = 0; i < meter->list.count; i++)
        reading->counts[i] = zone_read(&meter->list.items[i]);
}

/* All counters within a step of AMD's, whose dies may each show that of their socket: read far apart, as where the thread
 * lost its processor in between, they would seem to be several. */
static void read_together(const struct energy_meter *meter, struct energy_reading *reading)
{
    enum { TRIES = 10, STEP_NS = 1000000 };
    for (int i = 0; i < TRIES && meter->can_read; i++) {
        energy_meter_read(meter, now_ns(CLOCK_MONOTONIC), reading);
        if (!meter->amd || now_ns(CLOCK_MONOTONIC) - reading->ns < STEP_NS)
            return;
    }
}

void energy_meter_begin(struct energy_meter *meter)
{
    if (meter)
        read_together(meter, &meter->begin);
}

void energy_meter_end(struct energy_meter *meter)
{
    if (meter)
        read_together(meter, &meter->end);
}

void energy_meter_evaluate(struct energy_meter *meter)
{
    meter->total =
        energy_of_interval(&meter->list, meter->amd, &meter->begin, &meter->end, meter->zones);
}

const char *energy_zone_id(const struct energy_zone *zone, char *id)
{
    snprintf(id, ENERGY_ID_SIZE, "%s:%s", energy_source_names[zone->source], zone->name);
    return id;
}

static json_t *zones_json(const struct energy_meter *meter)
{
    json_t *zones = json_array();
    for (size_t i = 0; i < meter->list.count; i++) {
        const struct energy_zone *zone = &meter->list.items[i];
        const struct zone_energy *energy = &meter->zones[i];
        json_array_append_new(zones, json_pack("{s:s, s:s, s:o, s:o, s:s, s:o}", "source",
                                               energy_source_names[zone->source], "name",
                                               zone->name, "path", json_text_or_null(zone->path),
                                               "joules", real_or_null(energy->joules), "status",
                                               energy_status_names[energy->status], "reason",
                                               json_text_or_null(energy->reason)));
    }
    return zones;
}

static json_t *parts_json(const struct energy_meter *meter)
{
    json_t *parts = json_array();
    char id[ENERGY_ID_SIZE];
    for (size_t i = 0; i < meter->list.count && isfinite(meter->total.joules); i++)
        if (meter->zones[i].is_part && meter->list.items[i].source == meter->total.source)
            json_array_append_new(parts, json_string(energy_zone_id(&meter->list.items[i], id)));
    return parts;
}

json_t *energy_json(const struct energy_meter *meter)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:b}", "status",
                     energy_status_names[meter->total.status], "reason",
                     json_text_or_null(meter->total.reason), "joules",
                     real_or_null(meter->total.joules), "parts", parts_json(meter), "zones",
                     zones_json(meter), "virtual", (int)meter->is_virtual);
}
