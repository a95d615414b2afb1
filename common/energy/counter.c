/* SPDX-License-Identifier: BSD-3-Clause
 * A counter that is at `begin` and then at `end` rose by end - begin, or by that and a number of ranges. Which of
 * these it was is known only if all but one exceed what the zone can take in that time. */
#include "common/energy/counter.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of a range that is not known: the least there is, 2^32 units of 15.3 µJ. */
static const double LEAST_RANGE_JOULES = 65532.0;

static const double SHORTEST_STEPS = 50;

static struct energy_count read_text(int descriptor)
{
    char text[64];
    struct energy_count count = {0};
    ssize_t bytes = pread(descriptor, text, sizeof text - 1, 0);
    if (bytes < 0)
        return (struct energy_count){.error = errno};
    text[bytes] = '\0';
    count.error = whole_number(text, &count.value) ? 0 : NOT_A_COUNT;
    return count;
}

static struct energy_count read_event(int descriptor)
{
    struct energy_count count = {0};
    ssize_t bytes = read(descriptor, &count.value, sizeof count.value);
    if (bytes != sizeof count.value)
        count.error = bytes < 0 ? errno : NOT_A_COUNT;
    return count;
}

struct energy_count zone_read(const struct energy_zone *zone)
{
    if (zone->descriptor < 0)
        return (struct energy_count){.error = EBADF};
    return zone->kind == ENERGY_EVENT ? read_event(zone->descriptor) : read_text(zone->descriptor);
}

double zone_shortest_seconds(const struct energy_zone *zone)
{
    return SHORTEST_STEPS * zone->step_seconds;
}

/* Why a reading is of no use, or NULL. */
static const char *fault_of(const struct energy_zone *zone, struct energy_count count)
{
    if (count.error == NOT_A_COUNT)
        return "does not hold an integer";
    if (count.error != 0)
        return strerror(count.error);
    return zone->range != 0 && count.value > zone->range ? "exceeds the range of its counter"
                                                         : NULL;
}

static struct energy_difference unknown(const struct energy_zone *zone, const char *reason)
{
    struct energy_difference none = {.joules = NAN};
    snprintf(none.reason, sizeof none.reason, "%s: %s", zone->path, reason);
    return none;
}

/* The least that the counter can have risen by, in counts. */
static uint64_t least_rise(const struct energy_zone *zone, uint64_t begin, uint64_t end)
{
    return end >= begin ? end - begin : zone->range - begin + 1 + end;
}

static bool has_range(const struct energy_zone *zone)
{
    return zone->range != 0 && zone->range != NEVER_WRAPS;
}

static double wrap_joules(const struct energy_zone *zone)
{
    if (zone->range == NEVER_WRAPS)
        return INFINITY;
    return zone->range == 0 ? LEAST_RANGE_JOULES : zone->unit * (double)zone->range;
}

struct energy_difference zone_difference(const struct energy_zone *zone, struct energy_count begin,
                                         struct energy_count end, double seconds)
{
    char reason[160];
    const char *fault = fault_of(zone, begin);
    if (!fault)
        fault = fault_of(zone, end);
    if (fault)
        return unknown(zone, fault);
    if (end.value < begin.value && !has_range(zone))
        return unknown(zone, "the counter fell, and its range is not known");
    double joules = zone->unit * (double)least_rise(zone, begin.value, end.value);
    /* Counters may lag by some steps. */
    double most = zone->most_watts * (seconds + zone_shortest_seconds(zone));
    if (joules > most) {
        snprintf(reason, sizeof reason, "it rose by %.4g J in %.3g s, more than %g W", joules,
                 seconds, zone->most_watts);
        return unknown(zone, reason);
    }
    if (joules + wrap_joules(zone) <= most) {
        snprintf(reason, sizeof reason,
                 "in %.0f s it may have wrapped unseen, at %g W; pollux power beside the run would "
                 "see it",
                 seconds, zone->most_watts);
        return unknown(zone, reason);
    }
    return (struct energy_difference){.known = true, .joules = joules};
}
