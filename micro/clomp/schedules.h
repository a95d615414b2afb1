/* SPDX-License-Identifier: BSD-3-Clause
 * The ways to run CLOMP's loops: one deposit after the other, each followed by a loop over all partitions. */
#ifndef POLLUX_MICRO_CLOMP_SCHEDULES_H
#define POLLUX_MICRO_CLOMP_SCHEDULES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/identity/capabilities.h"
#include "micro/clomp/mesh.h"

/** A cycle is ten loops, in four modules of 1, 2, 3 and 4. */
enum { LOOPS_IN_CYCLE = 10 };

/** The barriers of a pass. */
struct clomp_meetings {
    size_t team;    /**< threads that there were */
    bool checked;   /**< whether threads note the rest, which takes time */
    size_t arrived; /**< at all of them so far, by all threads */
    size_t early;   /**< the first, from 1, that a thread left before all had come; 0: none */
};

/** What the threads of a pass share. */
struct clomp_run {
    struct mesh *mesh;
    size_t threads, cycles;
    struct clomp_meetings meetings;
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

/** What a thread calls before barrier number `number`, from 1, and after it. */
void clomp_arrive(struct clomp_run *run);
void clomp_leave(struct clomp_run *run, size_t number);

/** A thread's own partitions. */
struct clomp_share {
    struct clomp_run *run;
    size_t begin, end;
};

struct clomp_share clomp_share_of(struct clomp_run *run, size_t thread);

/** Updates them. */
void clomp_update_share(const struct clomp_share *share);

#endif
