/* SPDX-License-Identifier: BSD-3-Clause
 * The energy of a zone is the sum of the differences between samples that are known. */
#include "common/energy/timeline.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"
#include "common/base/memory.h"
#include "common/base/message.h"

/* One zone that can be read. */
struct column {
    const struct energy_zone *zone;
    struct energy_count last;
    int64_t last_ns;
    int64_t moved_ns;    /* when a counter was seen to move */
    double moved_joules; /* what it added up to then */
    double joules, watts;
    bool begun, known;
};

struct timeline {
    const struct energy_meter *meter;
    const struct sensor_list *sensors;
    struct column *columns;
    size_t count;
    char *text; /* the last line */
    size_t length, room;
};

struct timeline *timeline_create(const struct energy_meter *meter,
                                 const struct sensor_list *sensors)
{
    struct timeline *timeline = zeros(1, sizeof *timeline);
    struct column *columns = zeros(meter->list.count, sizeof *columns);
    *timeline = (struct timeline){.meter = meter, .sensors = sensors, .columns = columns};
    for (size_t i = 0; i < meter->list.count; i++)
        if (meter->list.items[i].descriptor >= 0)
            columns[timeline->count++] =
                (struct column){.zone = &meter->list.items[i], .watts = NAN};
    return timeline;
}

void timeline_destroy(struct timeline *timeline)
{
    if (!timeline)
        return;
    free(timeline->columns);
    free(timeline->text);
    free(timeline);
}

bool timeline_has_columns(const struct timeline *timeline)
{
    return timeline->count > 0 || timeline->sensors->count > 0;
}

static void append(struct timeline *timeline, const char *text)
{
    size_t length = strlen(text);
    if (timeline->length + length + 1 > timeline->room) {
        size_t room = 2 * (timeline->length + length + 1);
        char *longer = realloc(timeline->text, room);
        if (!longer)
            message_fatal(POLLUX_MACHINE, "no memory");
        timeline->text = longer;
        timeline->room = room;
    }
    memcpy(timeline->text + timeline->length, text, length + 1);
    timeline->length += length;
}

static json_t *zones_json(const struct energy_meter *meter)
{
    json_t *zones = json_array();
    char id[ENERGY_ID_SIZE], role[ENERGY_REASON_SIZE];
    for (size_t i = 0; i < meter->list.count; i++) {
        const struct energy_zone *zone = &meter->list.items[i];
        bool is_open = zone->descriptor >= 0;
        zone_explain_role(&meter->list, i, meter->zones[i].mirror_of, meter->amd, role);
        json_array_append_new(
            zones,
            json_pack("{s:s, s:s, s:s, s:o, s:f, s:s, s:o}", "id", energy_zone_id(zone, id),
                      "source", energy_source_names[zone->source], "name", zone->name, "path",
                      json_text_or_null(zone->path), "step_seconds", zone->step_seconds, "status",
                      energy_status_names[is_open ? ENERGY_MEASURED : ENERGY_UNAVAILABLE], "reason",
                      json_text_or_null(is_open ? role : zone->reason)));
    }
    return zones;
}

/* Whether every part of a source can be read, and packages are among them. */
static bool is_complete(const struct energy_meter *meter, enum energy_source source)
{
    bool packages = false;
    for (size_t i = 0; i < meter->list.count; i++) {
        const struct energy_zone *zone = &meter->list.items[i];
        if (zone->source != source || !meter->zones[i].is_part)
            continue;
        if (zone->descriptor < 0)
            return false;
        packages = packages || zone->role == ENERGY_PACKAGE;
    }
    return packages;
}

static json_t *parts_json(const struct energy_meter *meter)
{
    json_t *parts = json_array();
    char id[ENERGY_ID_SIZE];
    int source = 0;
    while (source < ENERGY_SOURCES && !is_complete(meter, (enum energy_source)source))
        source++;
    for (size_t i = 0; i < meter->list.count; i++)
        if ((int)meter->list.items[i].source == source && meter->zones[i].is_part)
            json_array_append_new(parts, json_string(energy_zone_id(&meter->list.items[i], id)));
    return parts;
}

/* Calls add(argument, name, unit, zone) for every column; `zone` is NULL for sensors and the time. */
static void visit_columns(const struct timeline *timeline,
                          void (*add)(void *argument, const char *name, const char *unit,
                                      const char *zone),
                          void *argument)
{
    char id[ENERGY_ID_SIZE], name[ENERGY_ID_SIZE + 8];
    add(argument, "unix_ns", "ns", NULL);
    for (size_t i = 0; i < timeline->count; i++) {
        energy_zone_id(timeline->columns[i].zone, id);
        snprintf(name, sizeof name, "%s J", id);
        add(argument, name, "J", id);
        snprintf(name, sizeof name, "%s W", id);
        add(argument, name, "W", id);
    }
    for (size_t i = 0; i < timeline->sensors->count; i++) {
        const struct sensor *sensor = &timeline->sensors->items[i];
        snprintf(name, sizeof name, "%s %s", sensor->name, sensor->unit);
        add(argument, name, sensor->unit, NULL);
    }
}

static void describe_column(void *argument, const char *name, const char *unit, const char *zone)
{
    json_t *column = json_pack("{s:s, s:s}", "name", name, "unit", unit);
    if (zone)
        json_object_set_new(column, "zone", json_string(zone));
    json_array_append_new(argument, column);
}

static void append_name(void *argument, const char *name, const char *unit, const char *zone)
{
    struct timeline *timeline = argument;
    (void)unit;
    (void)zone;
    if (timeline->text[timeline->length - 1] != '\n')
        append(timeline, ",");
    append(timeline, name);
}

const char *timeline_head(struct timeline *timeline, const struct timeline_choices *choices)
{
    const struct energy_meter *meter = timeline->meter;
    json_t *columns = json_array();
    visit_columns(timeline, describe_column, columns);
    json_t *head = json_pack(
        "{s:o, s:I, s:f, s:f, s:b, s:o, s:o, s:o}", "host", json_text_or_null(choices->host),
        "start_unix_ns", (json_int_t)choices->start_unix_ns, "interval_ms", choices->interval_ms,
        "slow_interval_ms", choices->slow_interval_ms, "virtual", (int)meter->is_virtual, "zones",
        zones_json(meter), "parts", parts_json(meter), "columns", columns);
    char *json = head ? json_dumps(head, JSON_REAL_PRECISION(9)) : NULL;
    if (!json)
        message_fatal(POLLUX_MACHINE, "no memory");
    timeline->length = 0;
    append(timeline, "# pollux-power/1 ");
    append(timeline, json);
    append(timeline, "\n");
    visit_columns(timeline, append_name, timeline);
    append(timeline, "\n");
    free(json);
    json_decref(head);
    return timeline->text;
}

/* The trapezoid between two readings of a meter of power. */
static void add_power(struct column *column, struct energy_count now, double seconds)
{
    double watts = column->zone->unit * (double)now.value;
    double before = column->zone->unit * (double)column->last.value;
    column->known = now.error == 0;
    column->watts = watts;
    if (column->known && column->begun)
        column->joules += 0.5 * (before + watts) * seconds;
}

/* A counter that has not moved for 50 of its steps does not count: what passes then is not known. */
static void add_count(struct column *column, struct energy_count now, int64_t ns, double seconds)
{
    struct energy_difference difference =
        zone_difference(column->zone, column->begun ? column->last : now, now, seconds);
    column->watts = NAN;
    column->known = difference.known;
    if (!column->begun || !difference.known) {
        if (now.error == 0) {
            column->moved_ns = ns;
            column->moved_joules = column->joules;
        }
        return;
    }
    column->joules += difference.joules;
    if (difference.joules > 0) {
        column->watts =
            (column->joules - column->moved_joules) / (1e-9 * (double)(ns - column->moved_ns));
        column->moved_ns = ns;
        column->moved_joules = column->joules;
    } else if (1e-9 * (double)(ns - column->moved_ns) >= zone_shortest_seconds(column->zone)) {
        column->known = false;
    }
}

static void sample_column(struct column *column, int64_t ns)
{
    struct energy_count now = zone_read(column->zone);
    double seconds = column->begun ? 1e-9 * (double)(ns - column->last_ns) : 0;
    if (column->zone->kind == ENERGY_POWER)
        add_power(column, now, seconds);
    else
        add_count(column, now, ns, seconds);
    if (now.error == 0) {
        column->last = now;
        column->last_ns = ns;
        column->begun = true;
    } else if (column->zone->kind == ENERGY_POWER) {
        column->begun = false; /* what it would have shown meanwhile is not known */
    }
}

static void append_number(struct timeline *timeline, const char *format, double value)
{
    char text[48];
    append(timeline, ",");
    if (!isfinite(value))
        return;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, format, value);
#pragma GCC diagnostic pop
    append(timeline, text);
}

const char *timeline_sample(struct timeline *timeline, struct sample_time time, bool with_sensors)
{
    char text[32];
    timeline->length = 0;
    for (size_t i = 0; i < timeline->count; i++)
        sample_column(&timeline->columns[i], time.monotonic_ns);
    snprintf(text, sizeof text, "%lld", (long long)time.unix_ns);
    append(timeline, text);
    for (size_t i = 0; i < timeline->count; i++) {
        const struct column *column = &timeline->columns[i];
        append_number(timeline, "%.6f", column->known ? column->joules : NAN);
        append_number(timeline, "%.2f", column->known ? column->watts : NAN);
    }
    for (size_t i = 0; i < timeline->sensors->count; i++)
        append_number(timeline, "%.10g",
                      with_sensors ? sensor_read(&timeline->sensors->items[i]) : NAN);
    append(timeline, "\n");
    return timeline->text;
}
