/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: a runtime that loses the end of a task, for which all threads then wait forever.
 *
 *   POLLUX_DOUBLE_TASK=N   of the process's N-th task (1) */
#include <unistd.h>

#include "task.h"

void run_task(const struct task *task)
{
    if (task->number == (long)variable_number("POLLUX_DOUBLE_TASK", 1))
        for (;;)
            pause();
    run_body(task);
}
