/* SPDX-License-Identifier: BSD-3-Clause
 * What reading all counters of energy costs: the nanoseconds of each of many readings, the median and the 99th
 * percentile as one line of JSON.
 *
 *     energy-cost READINGS
 *
 * The counters are those of this machine or of POLLUX_SYSTEM_ROOT. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/message.h"
#include "common/base/number_list.h"
#include "common/base/statistics.h"
#include "common/energy/meter.h"

int main(int argc, char **argv)
{
    message_program(argv[0]);
    if (argc != 2)
        message_fatal(POLLUX_USAGE, "energy-cost READINGS: one number is needed");
    size_t readings = number_parse(argv[1], "READINGS", 1, 10000000);
    double *ns = calloc(readings, sizeof *ns);
    struct energy_meter *meter = energy_meter_create();
    if (!ns)
        message_fatal(POLLUX_MACHINE, "no memory");
    for (size_t i = 0; i < readings; i++) {
        int64_t begin = now_ns(CLOCK_MONOTONIC);
        energy_meter_begin(meter);
        ns[i] = (double)(now_ns(CLOCK_MONOTONIC) - begin);
    }
    double middle = median(ns, readings);
    printf("{\"zones\": %zu, \"median_ns\": %.0f, \"p99_ns\": %.0f}\n", meter->list.count, middle,
           ns[readings * 99 / 100]);
    energy_meter_destroy(meter);
    free(ns);
    message_flush_output();
    return POLLUX_OK;
}
