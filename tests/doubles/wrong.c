/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: a runtime that silently corrupts results, as one that orders tasks wrongly does. After each
 * N-th task, the values at the first and the last address that the task writes are changed.
 *
 *   POLLUX_DOUBLE_TASK=N        N-th, 2N-th, 3N-th … task of the process (1: each)
 *   POLLUX_DOUBLE_CHANGE=1e-3   by that fraction of the value: large enough for any check. 1e-14 is
 *                               within the rounding errors that a check allows, but changes the
 *                               digest of the factors. bit: the last bit is flipped
 *   POLLUX_DOUBLE_THREADS=T     only in teams of T threads (0: in all)
 *
 * Tasks without a depend clause, those of fork-join variants, are left alone. */
#include "task.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int team_size(void)
{
    /* dlsym returns a data pointer; POSIX makes the conversion well defined, ISO C does not. */
    union {
        void *address;
        int (*function)(void);
    } count = {.address = dlsym(RTLD_DEFAULT, "omp_get_num_threads")};
    if (!count.address)
        abort();
    return count.function();
}

static void change(double *value)
{
    const char *how = getenv("POLLUX_DOUBLE_CHANGE");
    if (how && strcmp(how, "bit") == 0) {
        uint64_t bits;
        memcpy(&bits, value, sizeof bits);
        bits ^= 1;
        memcpy(value, &bits, sizeof bits);
    } else
        *value *= 1 + variable_number("POLLUX_DOUBLE_CHANGE", 1e-3);
}

void run_task(const struct task *task)
{
    long period = (long)variable_number("POLLUX_DOUBLE_TASK", 1);
    int threads = (int)variable_number("POLLUX_DOUBLE_THREADS", 0);
    run_body(task);
    if (!task->written.first || period <= 0 || task->number % period != 0)
        return;
    if (threads > 0 && threads != team_size())
        return;
    change(task->written.first);
    if (task->written.last != task->written.first)
        change(task->written.last);
}
