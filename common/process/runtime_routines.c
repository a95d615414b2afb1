/* SPDX-License-Identifier: BSD-3-Clause
 * Weak references: a program that calls a routine that its runtime lacks would abort in the
 * middle of a run. XKOMP has none of these. */
#include "common/process/runtime_routines.h"

#include <limits.h>
#include <omp.h>

#pragma weak omp_get_max_task_priority
#pragma weak omp_get_max_active_levels
#pragma weak omp_get_proc_bind
#pragma weak omp_get_thread_limit
#pragma weak omp_set_dynamic

int runtime_max_task_priority(void)
{
    return omp_get_max_task_priority ? omp_get_max_task_priority() : 0;
}

bool runtime_binds_threads(void)
{
    return !omp_get_proc_bind || omp_get_proc_bind() != omp_proc_bind_false;
}

int runtime_active_levels(void)
{
    return omp_get_max_active_levels ? omp_get_max_active_levels() : INT_MAX;
}

int runtime_thread_limit(void)
{
    return omp_get_thread_limit ? omp_get_thread_limit() : INT_MAX;
}

void runtime_keep_team_size(void)
{
    if (omp_set_dynamic)
        omp_set_dynamic(0);
}
