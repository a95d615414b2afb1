/* SPDX-License-Identifier: BSD-3-Clause
 * Batched FFT `task`: a task for each block of fields. */
#include "benchmarks/batched-fft/fft.h"

void fft_task(struct problem *p)
{
    for (size_t block = 0; block < fft_blocks(p); block++) {
        /* Y(b) := F X(b) */
#pragma omp task firstprivate(p, block)
        fft_compute(p, block);
    }
}
