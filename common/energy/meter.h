/* SPDX-License-Identifier: BSD-3-Clause
 * The energy counters of this machine, opened once and read around each timed region. */
#ifndef POLLUX_COMMON_METER_H
#define POLLUX_COMMON_METER_H

#include <jansson.h>
#include <stdbool.h>

#include "common/energy/interval.h"
#include "common/energy/sources.h"

/** All zones that were found, and the last interval. */
struct energy_meter {
    struct zone_list list;
    bool is_virtual; /**< a virtual machine: counters are what the hypervisor makes of them */
    bool amd;
    bool can_read; /**< at least one counter is open */
    struct energy_reading begin, end;
    struct zone_energy *zones; /**< of the last interval */
    struct energy_total total;
};

/** The counters of the system, or of POLLUX_SYSTEM_ROOT. Ends the program with POLLUX_USAGE where that is no
 * folder with a sys/ in it. */
struct energy_meter *energy_meter_create(void);

/** The counters below a root; `open` as in perf_events_find. */
struct energy_meter *energy_meter_create_at(const char *root, event_opener *open);

/** NULL is fine. */
void energy_meter_destroy(struct energy_meter *meter);

/** Reads all counters.
 * @param[out] reading with room for one count per zone */
void energy_meter_read(const struct energy_meter *meter, int64_t ns,
                       struct energy_reading *reading);

/** Read the counters at the two ends of a timed region, as near to it as possible. A NULL meter and one without
 * counters cost nothing. */
void energy_meter_begin(struct energy_meter *meter);
void energy_meter_end(struct energy_meter *meter);

/** Evaluates the last interval, if there was one: sets `zones` and `total`. Not part of a timed region. */
void energy_meter_evaluate(struct energy_meter *meter);

/** The object `energy` of a record (docs/record.md) after energy_meter_evaluate. */
json_t *energy_json(const struct energy_meter *meter);

/** The text that names a zone among all: "powercap:package-0". */
enum { ENERGY_ID_SIZE = ENERGY_NAME_SIZE + 16 };
const char *energy_zone_id(const struct energy_zone *zone, char *id);

#endif
