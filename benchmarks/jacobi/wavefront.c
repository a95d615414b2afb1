/* SPDX-License-Identifier: BSD-3-Clause
 * Jacobi `wavefront`: tiles in time. A task does several sweeps of a tile that is in cache; in each it
 * moves a point up and a point to the left, where the sweep before is complete. Tasks on an antidiagonal are
 * independent, and the next tiles in time begin before the last of these have ended. W(m,n) stands for what
 * the tile in time (m,n) writes, Wnext for the last of the earlier tiles in time that overlap it. */
#include "benchmarks/jacobi/grid.h"
#include "benchmarks/jacobi/jacobi.h"

void jacobi_wavefront(struct problem *p)
{
    size_t time = jacobi_time_tile(p);
    grid_of(p)->time_tile = time;
    for (size_t s = 0; s < jacobi_sweeps(p); s += time) {
        size_t tiles = jacobi_wave_tiles(p, s);
        for (size_t d = 0; d < 2 * tiles - 1; d++)
            for (size_t n = d < tiles ? 0 : d - tiles + 1; n < tiles && n <= d; n++) {
                size_t m = d - n;
                double *Wnorth = jacobi_wave(p, m - 1, n);
                double *Wwest = jacobi_wave(p, m, n - 1);
                double *Wnext = jacobi_wave_next(p, m, n);
                double *Wmn = jacobi_wave(p, m, n);
                /* W(m,n) := sweeps s, s+1 … of the tile in time (m,n) */
#pragma omp task firstprivate(p, s, m, n) \
    depend(in : Wnorth[0], Wwest[0], Wnext[0]) \
    depend(inout : Wmn[0])
                jacobi_sweep_wave(p, s, m, n);
            }
    }
}
