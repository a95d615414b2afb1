/* SPDX-License-Identifier: BSD-3-Clause
 * Batched FFT `nested`: a parallel loop over the fields, and FFTW's own loops as parallel regions inside. */
#include "benchmarks/batched-fft/fft.h"

void fft_nested(struct problem *p)
{
    size_t outer = p->threads, blocks = fft_blocks(p);
    plans_use_teams(p);
#pragma omp parallel for num_threads((int)outer) schedule(static) firstprivate(p, blocks)
    for (size_t block = 0; block < blocks; block++) {
        /* Y(b) := F X(b) */
        fft_compute_nested(p, block);
    }
}
