/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/base/period.h"

#include <sys/resource.h>

#include "common/base/clock.h"

/* Of all threads of the process, until now. */
static int64_t preemptions(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

struct period period_begin(void)
{
    const int64_t before = preemptions();
    return (struct period){.start_unix_ns = now_ns(CLOCK_REALTIME), .preemptions = -before};
}

void period_end(struct period *period)
{
    period->end_unix_ns = now_ns(CLOCK_REALTIME);
    period->preemptions += preemptions();
}
