/* SPDX-License-Identifier: BSD-3-Clause
 * The executable's .preinit_array runs before the constructors of any shared library. */
#include "common/machine/affinity.h"

#include <sys/syscall.h>
#include <unistd.h>

/* Written once, before any other code of the process runs. */
static cpu_set_t initial[AFFINITY_SETS];

/* The C library is not initialised yet: only the system call itself is used. */
static void remember(void)
{
    syscall(SYS_sched_getaffinity, 0, sizeof initial, initial);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const remember_at_start)(void) = remember;

size_t affinity_initial_count(void)
{
    return (size_t)CPU_COUNT_S(sizeof initial, initial);
}

const cpu_set_t *affinity_initial(void)
{
    return initial;
}

void affinity_restore(void)
{
    sched_setaffinity(0, sizeof initial, initial);
}
