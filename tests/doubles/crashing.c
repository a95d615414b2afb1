/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: a runtime that ends with a segmentation fault, always in the same task.
 *
 *   POLLUX_DOUBLE_TASK=N   in the process's N-th task (1) */
#include <signal.h>

#include "task.h"

void run_task(const struct task *task)
{
    if (task->number == (long)variable_number("POLLUX_DOUBLE_TASK", 1))
        raise(SIGSEGV);
    run_body(task);
}
