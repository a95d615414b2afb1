/* SPDX-License-Identifier: BSD-3-Clause
 * The energy of an interval: of every zone, and of packages and memory together. */
#ifndef POLLUX_COMMON_INTERVAL_H
#define POLLUX_COMMON_INTERVAL_H

#include <stdbool.h>

#include "common/energy/counter.h"
#include "common/energy/zone.h"

/** From best to worst. */
enum energy_status {
    ENERGY_MEASURED,
    ENERGY_TOO_SHORT,   /**< less than 50 steps of the counter */
    ENERGY_UNKNOWN,     /**< it was read, but the readings do not tell the energy */
    ENERGY_UNAVAILABLE, /**< it cannot be read */
    ENERGY_STATUSES
};

extern const char *const energy_status_names[ENERGY_STATUSES];

/** Of one zone. */
struct zone_energy {
    enum energy_status status;
    double joules;                   /**< NaN if not known */
    size_t mirror_of;                /**< a zone whose counter this is, or NO_ZONE */
    bool is_part;                    /**< one of those that the total of its source adds up */
    char reason[ENERGY_REASON_SIZE]; /**< of the status, or why a measured zone is no part; or "" */
};

/** Of packages and memory, from one source. */
struct energy_total {
    enum energy_status status;
    enum energy_source source;
    double joules; /**< NaN if not known */
    char reason[4 * ENERGY_REASON_SIZE + 64];
};

/** What was read at one time. */
struct energy_reading {
    int64_t ns;
    struct energy_count *counts; /**< one for each zone */
};

/** Why a zone is no part of its source's total, or "".
 * @param[in] mirror_of as in struct zone_energy
 * @param[out] text ENERGY_REASON_SIZE bytes */
void zone_explain_role(const struct zone_list *list, size_t zone, size_t mirror_of, bool amd,
                       char *text);

/** Evaluates an interval.
 * @param[in] amd  the processors are AMD's: of dies with one socket and equal energy, one is the socket's
 * @param[out] zones one for each zone of the list
 * @return of the first source with the best status; joules are a sum of parts that are all known */
struct energy_total energy_of_interval(const struct zone_list *list, bool amd,
                                       const struct energy_reading *begin,
                                       const struct energy_reading *end, struct zone_energy *zones);

#endif
