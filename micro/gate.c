/* SPDX-License-Identifier: BSD-3-Clause
 * About as many relays as each has latches: a runtime whose cost grows with the readers of an address then
 * meets the square root of their number. */
#include "micro/gate.h"

enum {
    LATCHED = 3
}; /* addresses of a latch: with the relay's, the four items that every runtime takes */

static void create_latch(struct run *run, char *relay, struct range roots, size_t first)
{
    char *a = run_address(run, first);
    char *b = first + 1 < roots.end ? run_address(run, first + 1) : a;
    char *c = first + 2 < roots.end ? run_address(run, first + 2) : a;
#pragma omp task firstprivate(run) depend(in : relay[0]) depend(inout : a[0], b[0], c[0])
    run_pass_on(run);
}

void gate_create(struct run *run, struct range roots)
{
    char *gate = (char *)run;
    size_t latches = (roots.end - roots.first + LATCHED - 1) / LATCHED;
    size_t each = pattern_width(latches);
#pragma omp task firstprivate(run) depend(out : gate[0])
    run_hold(run);
    for (size_t latch = 0; latch < latches; latch++) {
        char *relay = (char *)&run->cells[latch - latch % each];
        if (latch % each == 0) {
#pragma omp task firstprivate(run) depend(in : gate[0]) depend(out : relay[0])
            run_pass_on(run);
        }
        create_latch(run, relay, roots, roots.first + latch * LATCHED);
    }
}

void gate_wait_for_tasks(void)
{
#pragma omp taskwait
}
