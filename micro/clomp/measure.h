/* SPDX-License-Identifier: BSD-3-Clause
 * One repetition of CLOMP: a schedule beside the serial loops, the bound, and what they consist of. */
#ifndef POLLUX_MICRO_CLOMP_MEASURE_H
#define POLLUX_MICRO_CLOMP_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "micro/clomp/mesh.h"
#include "micro/clomp/schedules.h"

struct clomp_configuration {
    const struct clomp_schedule *schedule;
    struct mesh_shape shape;
    size_t threads, cycles;
    void (*message)(size_t number); /**< sent by each deposit; NULL: none is */
};

/** Times of a loop, in ns. */
enum clomp_term {
    CLOMP_LOOP,
    CLOMP_BEST_CASE,
    CLOMP_SERIAL,
    CLOMP_DEPOSIT,
    CLOMP_BARRIER,
    CLOMP_TERMS
};

extern const char *const clomp_term_names[CLOMP_TERMS];

enum { CLOMP_FAULT_SIZE = 160 };

struct clomp_repetition {
    double overhead_ns;           /**< of a loop, over the best case; NaN: not known */
    const char *overhead_unknown; /**< why; NULL where it is known */
    double ns[CLOMP_TERMS];       /**< NaN: not known */
    const char *unknown[CLOMP_TERMS];
    bool passed;
    char fault
        [CLOMP_FAULT_SIZE]; /**< the first check that failed, and in which pass; empty where passed */
};

/** Cycles in which about ten million deposits are made in zones, as in public versions of CLOMP; one at least. */
size_t clomp_default_cycles(const struct mesh_shape *shape);

/** Runs all passes on a mesh of its own.
 * @param[in] bound_first whether the bound is measured before the schedule, or after it */
struct clomp_repetition clomp_repeat(const struct clomp_configuration *c, bool bound_first);

#endif
