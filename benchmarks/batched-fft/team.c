/* SPDX-License-Identifier: BSD-3-Clause
 * The parallel region that runs the jobs of one transform. */
#include <omp.h>

#include "benchmarks/batched-fft/fft.h"

/* Jobs of jobs, which FFTW may have, run where they are: there are two levels of teams, no third one. */
void fft_run_jobs(struct problem *p, struct jobs jobs)
{
    size_t count = jobs.count, bytes = jobs.bytes, inner = p->parameters[FFT_INNER];
    void *(*work)(char *job) = jobs.work;
    char *first = jobs.first;
    if (omp_get_level() >= 2) {
        for (size_t job = 0; job < count; job++)
            work(first + job * bytes);
        return;
    }
#pragma omp parallel for num_threads((int)inner) schedule(static, 1) \
    firstprivate(p, work, first, bytes, count)
    for (size_t job = 0; job < count; job++)
        fft_run_job(p, (struct jobs){work, first, bytes, count}, job);
}
