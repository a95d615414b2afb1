/* SPDX-License-Identifier: BSD-3-Clause
 * The routine is looked up: a program that GCC has linked with it does not start on other runtimes, which lack the
 * version of that symbol. */
#include "micro/events.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "common/base/message.h"

void *events_prepare(struct run *run)
{
    (void)run;
    /* dlsym returns a data pointer; POSIX makes the conversion well defined, ISO C does not. */
    union {
        void *address;
        void (*function)(omp_event_handle_t event);
    } routine = {.address = dlsym(RTLD_DEFAULT, "omp_fulfill_event")};
    struct events *events = malloc(sizeof *events);
    if (!routine.address)
        message_fatal(POLLUX_MACHINE, "pattern detach: the runtime lacks omp_fulfill_event");
    if (!events)
        message_fatal(POLLUX_MACHINE, "no memory");
    events->fulfil = routine.function;
    return events;
}

void events_release(void *prepared)
{
    free(prepared);
}
