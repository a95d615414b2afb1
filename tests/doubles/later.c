/* SPDX-License-Identifier: BSD-3-Clause
 * The date is an hour ahead, for the program alone: to the kernel, as if it had been set back by an hour since. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time);

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const time_t HOUR = 3600;
    int status = (int)syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_REALTIME)
        time->tv_sec += HOUR;
    return status;
}
