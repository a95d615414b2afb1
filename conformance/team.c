/* SPDX-License-Identifier: BSD-3-Clause
 * The team in which one thread creates the tasks. OmpSs has no parallel regions: its threads
 * exist from the start. */
#include <omp.h>

#include "conformance/rule.h"

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

size_t team_given(size_t threads)
{
#ifdef _OMPSS
    return threads;
#else
    int given = 1;
#pragma omp parallel num_threads((int)threads)
#pragma omp single
    given = omp_get_num_threads();
    return (size_t)given;
#endif
}
