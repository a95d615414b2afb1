/* SPDX-License-Identifier: BSD-3-Clause
 * The ways to run CLOMP's loops: one deposit after the other, each followed by a loop over all partitions. */
#ifndef POLLUX_MICRO_CLOMP_SCHEDULES_H
#define POLLUX_MICRO_CLOMP_SCHEDULES_H

#include <stddef.h>

#include "common/identity/capabilities.h"
#include "micro/clomp/mesh.h"

/** A cycle is ten loops, in four modules of 1, 2, 3 and 4. */
enum { LOOPS_IN_CYCLE = 10 };

/** What the threads of a pass share. */
struct clomp_run {
    struct mesh *mesh;
    size_t threads, cycles;
};

/** What a schedule computes. */
enum clomp_kind {
    CLOMP_EXACT,  /**< what the serial loops compute */
    CLOMP_BOUND,  /**< updates with one fixed deposit: loops that wait for nothing */
    CLOMP_NOTHING /**< the mesh is left alone */
};

struct clomp_schedule {
    const char *name;
    const char *summary;
    unsigned needs; /**< set of enum capability */
    enum clomp_kind kind;
    size_t waiting;                     /**< tasks of a partition, at most, that wait at once */
    void (*run)(struct clomp_run *run); /**< all cycles; NULL: the compiler lacks what it takes */
};

extern const struct clomp_schedule clomp_serial, clomp_best_case, clomp_static, clomp_dynamic,
    clomp_manual, clomp_taskloop, clomp_task, clomp_depend, clomp_barrier;

/** All of them, ended by NULL. */
extern const struct clomp_schedule *const clomp_schedules[];

/** Calls loop(context) for each loop of so many cycles, in order. */
void clomp_cycles(size_t cycles, void (*loop)(void *context), void *context);

/** A thread's own partitions. */
struct clomp_share {
    struct clomp_run *run;
    size_t begin, end;
};

struct clomp_share clomp_share_of(struct clomp_run *run, size_t thread);

/** Updates them. */
void clomp_update_share(const struct clomp_share *share);

#endif
