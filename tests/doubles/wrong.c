/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: a runtime that silently corrupts results, as one that orders tasks wrongly does. After each
 * N-th task, the values at the first and the last address that the task writes are changed.
 *
 *   POLLUX_DOUBLE_TASK=N        N-th, 2N-th, 3N-th … task of the process (1: each)
 *   POLLUX_DOUBLE_CHANGE=1e-3   by that fraction of the value: large enough for any check. 1e-14 is
 *                               within the rounding errors that a check allows, but changes the
 *                               digest of the factors
 *
 * Tasks without a depend clause, those of fork-join variants, are left alone. */
#include "task.h"

void run_task(const struct task *task)
{
    long period = (long)variable_number("POLLUX_DOUBLE_TASK", 1);
    run_body(task);
    if (!task->written.first || period <= 0 || task->number % period != 0)
        return;
    double factor = 1 + variable_number("POLLUX_DOUBLE_CHANGE", 1e-3);
    *task->written.first *= factor;
    if (task->written.last != task->written.first)
        *task->written.last *= factor;
}
