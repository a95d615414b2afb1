/* SPDX-License-Identifier: BSD-3-Clause
 * Batched FFT `seq`: transform after transform, without OpenMP. */
#include "benchmarks/batched-fft/fft.h"

void fft_seq(struct problem *p)
{
    for (size_t block = 0; block < fft_blocks(p); block++) {
        /* Y(b) := F X(b) */
        fft_compute(p, block);
    }
}
