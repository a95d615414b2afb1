/* SPDX-License-Identifier: BSD-3-Clause
 * What the OMPT tool reports to a program about the tasks that its own runtime creates.
 *
 * The runtime loads the tool: OMP_TOOL_LIBRARIES names its path before the runtime starts, which it
 * does with the first routine or construct. After that, the program finds the library that was
 * loaded, and in it a function of type ompt_tool_function:
 *
 *     void *library = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
 *     ompt_tool_function *find = (ompt_tool_function *)dlsym(library, OMPT_TOOL_FUNCTION);
 *     const struct ompt_tool *tool = find();
 *
 * The first two are NULL where the runtime did not load the tool, the third where it did not start it.
 *
 * A tool listens or records, never both at once. It is switched while no explicit task exists and no
 * thread creates one: earlier tasks are forgotten by then, and their memory is used
 * again. */
#ifndef POLLUX_COMMON_OMPT_TOOL_H
#define POLLUX_COMMON_OMPT_TOOL_H

#include <stddef.h>
#include <stdint.h>

enum { OMPT_TOOL_VERSION = 1 };

#define OMPT_TOOL_FUNCTION "pollux_ompt"

/**
 * Receives reports of tasks, on the thread where they are created; for teams of one thread. Tasks are
 * numbered from 1 in the order of their creation; 0 is the implicit task. The creation of a task is
 * reported, then its dependences, both before the task itself does anything.
 */
struct ompt_listener {
    /** `parent` creates `task`. A `taskwait` with depend clauses is reported as a task, too. */
    void (*created)(void *context, uint64_t task, uint64_t parent);

    /**
     * The dependences of a task that has any, in the order in which the runtime gives them: addresses,
     * and kinds as OMPT numbers them (1 in, 2 out, 3 inout, 4 mutexinoutset, 7 inoutset, other ones
     * as they are). Both arrays have `count` entries and are gone after the call.
     */
    void (*depends)(void *context, uint64_t task, const void *const *address, const int *kind,
                    size_t count);

    /** A taskwait begins in `task`. */
    void (*waits)(void *context, uint64_t task);

    void *context;
};

/** When and by whom a task was created. Times are nanoseconds of CLOCK_MONOTONIC, 0 if unknown. */
struct ompt_task {
    uint64_t
        number; /**< from 1 by creation; 0: no explicit task, or one older than the recording */
    int64_t created_ns;   /**< when the runtime reported its creation */
    int64_t scheduled_ns; /**< when a thread first began it */
    int creator;          /**< omp_get_thread_num() of the thread that created it; -1 if unknown */
};

struct ompt_tool {
    int version; /**< OMPT_TOOL_VERSION */

    /** The name that the runtime gives. */
    const char *(*runtime)(void);

    /** Reports all that follows to `listener`, which must stay; NULL: to none. Numbers restart at 1. */
    void (*listen)(const struct ompt_listener *listener);

    /** Whether creation and scheduling are recorded; off at first. Numbers restart at 1 when switched on. */
    void (*record)(int on);

    /** The explicit task that the calling thread executes. */
    struct ompt_task (*current)(void);

    /** The OMPT callback that this runtime never makes, of those needed; NULL: it makes all. */
    const char *lacks;

    /** Tasks, and lists of dependences, left out since the last switching on for lack of memory. */
    uint64_t (*lost)(void);
};

/** The tool, or NULL while no runtime has started it. */
typedef const struct ompt_tool *ompt_tool_function(void);
ompt_tool_function pollux_ompt; /* in the library, for dlsym */

#endif
