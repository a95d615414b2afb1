/* SPDX-License-Identifier: BSD-3-Clause
 * Batched FFT `task-nested`: a task for each block of fields, and FFTW's own loops as parallel regions inside. */
#include "benchmarks/batched-fft/fft.h"

void fft_task_nested(struct problem *p)
{
    plans_use_teams(p);
    for (size_t block = 0; block < fft_blocks(p); block++) {
        /* Y(b) := F X(b) */
#pragma omp task firstprivate(p, block)
        fft_compute_nested(p, block);
    }
}
