/* SPDX-License-Identifier: BSD-3-Clause
 * The team in which one thread creates the tasks. OmpSs has no parallel regions: its threads
 * exist from the start. */
#include "conformance/rule.h"

#ifdef _OMPSS
#include <omp.h>
#endif

void on_single(struct trial *trial, void (*submit)(struct trial *trial, void *data), void *data)
{
#ifdef _OMPSS
    /* Nanos++ begins the second change when the first is complete: threads that leave have left. */
    omp_set_num_threads((int)trial->threads);
    omp_set_num_threads((int)trial->threads);
    submit(trial, data);
#pragma omp taskwait
#else
    int threads = (int)trial->threads;
#pragma omp parallel num_threads(threads)
#pragma omp single
    submit(trial, data);
#endif
}
