/* SPDX-License-Identifier: BSD-3-Clause
 * The team in which one thread creates the tasks. OmpSs has no parallel regions: its threads are
 * there from the start. */
#include "conformance/rule.h"

void on_single(struct trial *trial, void (*submit)(struct trial *trial, void *data), void *data)
{
#ifdef _OMPSS
    submit(trial, data);
#pragma omp taskwait
#else
    int threads = (int)trial->threads;
#pragma omp parallel num_threads(threads)
#pragma omp single
    submit(trial, data);
#endif
}
