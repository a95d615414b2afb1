/* SPDX-License-Identifier: BSD-3-Clause
 * A zone: one counter of energy, or one meter of power, and what it belongs to. */
#ifndef POLLUX_COMMON_ZONE_H
#define POLLUX_COMMON_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/system_file.h"

/** In the order in which their totals are preferred. */
enum energy_source { ENERGY_POWERCAP, ENERGY_PERF, ENERGY_HWMON, ENERGY_CRAY, ENERGY_SOURCES };

extern const char *const energy_source_names[ENERGY_SOURCES];

/** What a zone contributes to the energy of packages and memory. */
enum energy_role {
    ENERGY_PACKAGE, /**< a part */
    ENERGY_MEMORY,  /**< a part: memory is outside its package */
    ENERGY_INSIDE,  /**< in a package already: cores, graphics */
    ENERGY_AROUND,  /**< contains packages: the whole board or node */
    ENERGY_OTHER,   /**< not known, or another device */
};

/** How a zone is read. */
enum energy_kind {
    ENERGY_TEXT,  /**< a counter: a file with a number */
    ENERGY_EVENT, /**< a counter: an event of perf, 8 bytes */
    ENERGY_POWER, /**< a meter of power: a file with a number */
};

enum { ENERGY_NAME_SIZE = 96, ENERGY_REASON_SIZE = 1280 };

static const size_t NO_ZONE = SIZE_MAX;
static const uint64_t NEVER_WRAPS = UINT64_MAX; /**< as a range: the kernel extends it to 64 bits */

struct energy_zone {
    enum energy_source source;
    enum energy_role role;
    enum energy_kind kind;
    char name[ENERGY_NAME_SIZE]; /**< with what it is in: "package-0/dram"; unique in its source */
    char path[SYSTEM_PATH_SIZE];
    int socket;     /**< of a package, from its name; -1: not known */
    bool disabled;  /**< `enabled` is 0: no power limit is in force. Counters count all the same */
    double unit;    /**< joules, or watts, per count */
    uint64_t range; /**< last count before 0; 0: not known */
    double step_seconds; /**< between two updates of the counter */
    double most_watts;   /**< what no such zone can take */
    size_t mirror_of;    /**< a zone that shows the same counter, or NO_ZONE */
    int descriptor;      /**< -1: cannot be read, and `reason` says why */
    char reason[ENERGY_REASON_SIZE];
};

/** The zones that were found, and for each source without zones the reason. */
struct zone_list {
    struct energy_zone *items;
    size_t count, capacity;
    char absent[ENERGY_SOURCES][ENERGY_REASON_SIZE];
};

/** A new zone with usual properties: a counter of another device that updates every millisecond and is not
 * open. Ends the program with POLLUX_MACHINE if out of memory. */
struct energy_zone *zone_list_add(struct zone_list *list, enum energy_source source);

/** Gives the last zone of the list its name. What CSV or a terminal could misread becomes "_", and a name that
 * the source has already gets a number. */
void zone_set_name(struct zone_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Replaces what CSV or a terminal could misread by "_". */
void zone_plain_name(char *name);

/** Opens a zone's file and keeps it open; if that fails, the reason. */
void zone_open(struct energy_zone *zone);

/** States why a source has no zones, if it has none: its folder is not there or, as `error` says, cannot be
 * read, or does not have what is needed. */
void zone_list_explain(struct zone_list *list, enum energy_source source, const char *folder,
                       int error, const char *needed);

/** Whether any zone of the source is in the list. */
bool zone_list_has(const struct zone_list *list, enum energy_source source);

/** Closes and releases all zones. */
void zone_list_free(struct zone_list *list);

#endif
