/* SPDX-License-Identifier: BSD-3-Clause
 * Time that passes only where the program looks: a tenth of a millisecond from one look at CLOCK_MONOTONIC to the next.
 * What a calibration finds then does not depend on what else the machine does. */
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time);

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static atomic_long looks;
    const long TICK_NS = 100000, TICKS_PER_SECOND = 10000;
    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, time);
    long look = atomic_fetch_add(&looks, 1);
    time->tv_sec = 1 + look / TICKS_PER_SECOND;
    time->tv_nsec = look % TICKS_PER_SECOND * TICK_NS;
    return 0;
}
