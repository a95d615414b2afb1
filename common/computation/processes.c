/* SPDX-License-Identifier: BSD-3-Clause
 * All processes of a run execute the same plan. */
#include <stdlib.h>

#include "common/base/message.h"
#include "common/computation/session.h"
#include "common/execution/team.h"

bool processes_allow(const struct variant *v, char *reason, size_t size)
{
    const struct number_list *threads = &current.general->shared.threads;
    const struct processes *processes = current.benchmark->processes;
    bool can = !processes || threads->count > 0 ||
               processes->can_run(v, team_default_threads(), reason, size);
    for (size_t i = 0; processes && can && i < threads->count; i++)
        can = processes->can_run(v, threads->value[i], reason, size);
    return can;
}

void processes_join(struct program_options *given)
{
    const struct benchmark *b = current.benchmark;
    const struct variant **wanted = calloc(b->variant_count + 1, sizeof *wanted);
    size_t count = 0;
    if (!wanted)
        message_fatal(POLLUX_MACHINE, "no memory");
    for (size_t v = 0; v < b->variant_count; v++)
        for (size_t i = 0; i < given->variants.count; i++)
            if (given->variants.value[i] == v) {
                wanted[count++] = &b->variants[v];
                break;
            }
    current.silent = !b->processes->begin(wanted);
    free(wanted);
    if (current.silent)
        program_be_silent(given);
}
