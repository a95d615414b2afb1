/* SPDX-License-Identifier: BSD-3-Clause
 * The stacks of the threads, and the memory that BLAS takes for each, are part of what a team needs. */
#include "common/process/team_needs.h"

#include "common/base/limits.h"
#include "common/base/message.h"
#include "common/identity/runtime_settings.h"
#include "common/identity/runtime_stack.h"
#include "common/process/runtime_routines.h"

void team_require(const struct setup *setup, size_t threads, size_t data_bytes)
{
    const struct team_needs needs = {.threads = threads,
                                     .stack_bytes = runtime_stack_bytes(&setup->runtime),
                                     .blas_bytes = setup->blas.path[0] ? BLAS_THREAD_BYTES : 0,
                                     .data_bytes = data_bytes};
    runtime_stack_check(&setup->runtime);
    limits_require(&needs);
}

void team_warn(const struct setup *setup, size_t threads)
{
    if (threads > setup->allowed)
        message_warning("%zu threads on %zu allowed processor%s: they take turns", threads,
                        setup->allowed, plural(setup->allowed));
    else if ((double)threads > setup->quota)
        message_warning(
            "%zu thread%s under a CPU quota of %.3g processors: all stop, in the middle of "
            "tasks, when it is used up",
            threads, plural(threads), setup->quota);
    else if (threads > 1 && !runtime_settings_can_bind(&setup->runtime))
        message_warning("threads may move: %s does not bind them to processors, whatever "
                        "OMP_PROC_BIND is",
                        setup->runtime.name);
    else if (threads > 1 && !runtime_binds_threads())
        message_warning("threads are not bound to processors and may move: set OMP_PROC_BIND=close "
                        "OMP_PLACES=cores for steadier times");
}
