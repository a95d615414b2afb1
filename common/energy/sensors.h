/* SPDX-License-Identifier: BSD-3-Clause
 * Temperatures and clock frequencies, which accompany power over time. */
#ifndef POLLUX_COMMON_SENSORS_H
#define POLLUX_COMMON_SENSORS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/energy/zone.h"

/** A file with a whole number, which may be negative. */
struct sensor {
    char name[ENERGY_NAME_SIZE]; /**< "coretemp/Package id 0", "cpu3"; unique */
    const char *unit;            /**< "C" or "MHz" */
    int descriptor;
};

struct sensor_list {
    struct sensor *items;
    size_t count, capacity;
    bool is_cut; /**< sensors are missing, for lack of descriptors */
};

/** Opens the temperatures of hardware monitors and thermal zones, and the frequency of every processor, as far as
 * they can be read. Ends the program with POLLUX_MACHINE if out of memory. */
struct sensor_list sensors_open(const char *root);

void sensors_close(struct sensor_list *list);

/** Degrees Celsius or MHz; NaN if it cannot be read. */
double sensor_read(const struct sensor *sensor);

#endif
