/* SPDX-License-Identifier: BSD-3-Clause
 * What a benchmark adds whose run is spread over several processes that a launcher has started. All of them execute the
 * same plan; one reports. */
#ifndef POLLUX_COMMON_PROCESSES_H
#define POLLUX_COMMON_PROCESSES_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct problem;
struct variant;

/** What a run took, first of this process alone. */
struct share {
    double seconds;
    uint64_t tasks;
};

struct processes {
    /** Options that describe the processes, ended by one without a name. Their keys are letters, or follow
     * PROCESSES_KEY. */
    const struct argp_option *options;
    const char *const *axes; /**< those of them by which runs are told apart, ended by NULL */
    /** Takes one of them; bad values end the program with POLLUX_USAGE. */
    void (*take_option)(int key, const char *text);
    /** At the start of the program. */
    void (*before)(void);
    /** Joins the others: called once the process needs no further restart, before anything is planned.
     * @param[in] variants ended by NULL: those that will be run
     * @return whether this is the process that reports */
    bool (*begin)(const struct variant *const *variants);
    /** Leaves them, after the last run. */
    void (*end)(void);
    /** Why a variant cannot run with that many threads, as "needs …"; `reason` is left as it is where it can. Before
     * `begin` there may be several processes.
     * @return whether it can */
    bool (*can_run)(const struct variant *variant, size_t threads, char *reason, size_t size);
    /** Before and after the timed region of a run: makes and releases what its messages need, and returns when all
     * processes have come here. */
    void (*prepare)(struct problem *problem, const struct variant *variant);
    void (*finish)(struct problem *problem);
    /** After a run, and before its result is looked at: makes what it took, and problem->execution->failure, those of
     * all processes together. */
    void (*conclude)(struct problem *problem, struct share *share);
    /** The record's `mpi` of the last run. */
    json_t *(*describe)(const struct problem *problem);
    /** The name of this process's own file, of one that all are given. Released by free. */
    char *(*own_file)(const char *path);
    /** Whether a file has such a name, of any process. */
    bool (*is_own_file)(const char *path, const char *file);
    /** The coordinates of a tile of this process that a call of a step names. @return whether it is one */
    bool (*locate)(const struct problem *problem, size_t step, const void *object, size_t *i,
                   size_t *j);
    /** Before and after a run that is traced: compares the clocks of the processes. */
    void (*compare_clocks)(bool after);
    /** What the header of a trace says of this process and of its clock. */
    json_t *(*describe_trace)(const struct problem *problem, int64_t start_ns);
    /** Hands each message of the last run, which was traced, to `write`, as the numbers of a line (docs/traces.md).
     * @param[in] start_ns what times count from */
    void (*trace_messages)(const struct problem *problem, int64_t start_ns,
                           void (*write)(void *argument, const int64_t *numbers, size_t count),
                           void *argument);
};

enum { PROCESSES_KEY = 2048 };

#endif
