/* SPDX-License-Identifier: BSD-3-Clause
 * All processes of a run execute the same plan. */
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/computation/session.h"

bool processes_allow(const struct variant *v, char *reason, size_t size)
{
    const struct number_list threads = requested_threads(&current.general->shared);
    const struct processes *processes = current.benchmark->processes;
    bool can = true;
    for (size_t i = 0; processes && can && i < threads.count; i++)
        can = processes->can_run(v, threads.value[i], reason, size);
    return can;
}

static bool will_run(const struct variant *v)
{
    char reason[REASON_SIZE];
    return variant_available(&current.availability, v, reason) &&
           processes_allow(v, reason, sizeof reason);
}

void processes_join(struct program_options *given)
{
    const struct benchmark *b = current.benchmark;
    const struct variant **wanted = zeros(b->variant_count + 1, sizeof *wanted);
    size_t count = 0;
    for (size_t v = 0; v < b->variant_count; v++)
        for (size_t i = 0; i < given->variants.count; i++)
            if (given->variants.value[i] == v && will_run(&b->variants[v])) {
                wanted[count++] = &b->variants[v];
                break;
            }
    if (!b->processes->begin(wanted))
        program_be_silent(given);
    free(wanted);
}
