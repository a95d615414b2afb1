/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: a runtime that never runs some of the tasks.
 *
 *   POLLUX_DOUBLE_TASK=N   N-th, 2N-th, 3N-th … task of the process (3) */
#include "task.h"

void run_task(const struct task *task)
{
    long period = (long)variable_number("POLLUX_DOUBLE_TASK", 3);
    if (period <= 0 || task->number % period != 0)
        run_body(task);
}
