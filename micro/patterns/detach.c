/* SPDX-License-Identifier: BSD-3-Clause
 * The chain, of detached tasks: each is complete when it has ended and its event is fulfilled. It fulfils it itself, at
 * its end, so that no thread has to wait for an event that a task must fulfil which nobody runs. */
#include "micro/patterns/patterns.h"

#ifdef POLLUX_HAVE_DETACH

#include <dlfcn.h>
#include <omp.h>
#include <string.h>

#include "common/base/message.h"

/* The runtime's omp_fulfill_event. It is looked up: a program that GCC has linked with it does not start on other
 * runtimes, which lack the version of that symbol. */
static void *find_routine(struct run *run)
{
    void *routine = dlsym(RTLD_DEFAULT, "omp_fulfill_event");
    (void)run;
    if (!routine)
        message_fatal(POLLUX_MACHINE, "pattern detach: the runtime lacks omp_fulfill_event");
    return routine;
}

static void run_detached(struct run *run, size_t i, omp_event_handle_t event)
{
    /* dlsym returns a data pointer; POSIX makes the conversion well defined, ISO C does not. */
    union {
        void *address;
        void (*fulfil)(omp_event_handle_t event);
    } routine = {.address = run->prepared};
    run_task(run, i);
    routine.fulfil(event);
}

static void create(struct run *run)
{
    char *a = run_address(run, 0);
    omp_event_handle_t event; /* an enumeration, to which 0 must not be cast */
    memset(&event, 0, sizeof event);
    for (size_t i = 0; i < run->shape->tasks; i++) {
#pragma omp task firstprivate(run, i) depend(inout : a[0]) detach(event)
        run_detached(run, i, event);
    }
}

#endif

const struct pattern detach = {.name = "detach",
                               .summary = "the chain, of tasks that fulfil an event of their own",
                               .needs = CAPABILITY_DETACH,
                               .addresses = one_address,
                               .roots = first_address,
                               .define = define_chain,
#ifdef POLLUX_HAVE_DETACH
                               .prepare = find_routine,
                               .create = create
#endif
};
