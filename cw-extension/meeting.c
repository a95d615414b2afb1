/* SPDX-License-Identifier: BSD-3-Clause
 * The probe's task graph: two concurrent writers of one address, and a task that excludes them. */
#include "cw-extension/meeting.h"

#include "cw-extension/concurrent_write.h"

void meeting_submit(void *argument)
{
    struct meeting *meeting = argument;
    double storage = 0.0;
    double *shared = &storage;
    for (int writer = 0; writer < 2; writer++) {
#if defined(POLLUX_CW_LIBKOMP)
#pragma omp task firstprivate(meeting) depend(cw : shared[0])
        meeting_write(meeting);
#elif defined(POLLUX_CW_OMPSS)
#pragma omp task firstprivate(meeting) concurrent(shared[0])
        meeting_write(meeting);
#elif defined(POLLUX_CW_INOUTSET)
#pragma omp task firstprivate(meeting) depend(inoutset : shared[0])
        meeting_write(meeting);
#else
#pragma omp task firstprivate(meeting) depend(in : shared[0])
        meeting_write(meeting);
#endif
    }
#pragma omp task firstprivate(meeting) depend(inout : shared[0])
    meeting_close(meeting);
    meeting_open(meeting);
#pragma omp taskwait
}
