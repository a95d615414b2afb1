/* SPDX-License-Identifier: BSD-3-Clause
 * Batched FFT `flat`: a parallel loop over the fields. */
#include "benchmarks/batched-fft/fft.h"

void fft_flat(struct problem *p)
{
    size_t outer = p->threads, blocks = fft_blocks(p);
#pragma omp parallel for num_threads((int)outer) schedule(static) firstprivate(p, blocks)
    for (size_t block = 0; block < blocks; block++) {
        /* Y(b) := F X(b) */
        fft_compute(p, block);
    }
}
