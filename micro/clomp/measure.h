/* SPDX-License-Identifier: BSD-3-Clause
 * One repetition of CLOMP: a schedule beside the serial loops, the bound, and what they consist of. */
#ifndef POLLUX_MICRO_CLOMP_MEASURE_H
#define POLLUX_MICRO_CLOMP_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/driver/result.h"
#include "micro/clomp/mesh.h"
#include "micro/clomp/schedules.h"

struct clomp_configuration {
    const struct clomp_schedule *schedule;
    struct mesh_shape shape;
    size_t threads, cycles;
    void (*message)(size_t number); /**< sent by each deposit; NULL: none is */
};

/** The quantities: times of a loop in ns, and the overhead over the best case. */
enum { CLOMP_OVERHEAD, CLOMP_LOOP, CLOMP_BEST_CASE, CLOMP_SERIAL, CLOMP_DEPOSIT, CLOMP_BARRIER };

/** Cycles in which about ten million deposits are made in zones, as in public versions of CLOMP; one at least, and a
 * hundred of barriers alone. */
size_t clomp_default_cycles(const struct clomp_schedule *schedule, const struct mesh_shape *shape);

/** Runs all passes on a mesh of its own.
 * @param[in] bound_first whether the bound is measured before the schedule, or after it
 * @param[out] result the quantities, and the first check that failed, with its pass */
void clomp_repeat(const struct clomp_configuration *c, bool bound_first, struct result *result);

#endif
