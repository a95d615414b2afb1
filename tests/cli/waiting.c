/* SPDX-License-Identifier: BSD-3-Clause
 * One task, which waits for a fifth of a second and computes nothing. */
#include <time.h>

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp task
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    return 0;
}
