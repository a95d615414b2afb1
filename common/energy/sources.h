/* SPDX-License-Identifier: BSD-3-Clause
 * Where Linux shows energy. Each function appends the zones of one source, or says why there are none;
 * `root` is where sys/ is (common/base/system_file.h). */
#ifndef POLLUX_COMMON_SOURCES_H
#define POLLUX_COMMON_SOURCES_H

#include <stddef.h>
#include <stdint.h>

#include "common/energy/zone.h"

/** What no zone can take, rather too much than too little. In 2025 packages are sold for 500 W and draw twice that
 * for milliseconds; 16 DIMMs draw 20 W each; a board contains all. */
enum { PACKAGE_WATTS = 1000, MEMORY_WATTS = 400, BOARD_WATTS = 10000 };

/** Opens an event of a source of perf on one processor.
 * @return a descriptor from which 8 bytes are read, or -1 and errno */
typedef int event_opener(uint32_t type, uint64_t config, int cpu);

/** RAPL's zones, of Intel and AMD, through powercap (kernel: Documentation/power/powercap/powercap.rst). */
void powercap_find(struct zone_list *list, const char *root);

/** Sources of events called power: RAPL again, extended to 64 bits by the kernel (kernel:
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-events).
 * @param[in] open NULL: events cannot be opened, as those of another machine */
void perf_events_find(struct zone_list *list, const char *root, event_opener *open);

/** The system call. */
int perf_event_opener(uint32_t type, uint64_t config, int cpu);

/** Counters of energy and meters of power of hardware monitors (kernel: Documentation/hwmon/sysfs-interface.rst). */
void hwmon_find(struct zone_list *list, const char *root);

/** The name of a monitor's driver, or else of the monitor.
 * @param[in] monitors sys/class/hwmon */
void hwmon_find_driver(const char *monitors, const char *monitor, char *driver, size_t size);

/** pm_counters of Cray nodes. */
void cray_find(struct zone_list *list, const char *root);

#endif
