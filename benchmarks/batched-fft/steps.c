/* SPDX-License-Identifier: BSD-3-Clause
 * The kernel: one transform. Its name is that of the transform's first element, which it writes. */
#include <math.h>

#include "benchmarks/batched-fft/fft.h"
#include "common/base/sizes.h"

/* Of n × n points; the transform of one point costs no operation. */
static double flops(struct call_sizes s)
{
    double points = (double)s.m * s.n;
    return 5 * points * log2(points);
}

static double bytes(struct call_sizes s)
{
    return 2.0 * sizeof(double) * 2 * s.m * s.n;
}

const struct kernel about_fft = {.name = "fft",
                                 .operation = "complex Fourier transform of two dimensions",
                                 .count = "5 m n log2(m n)",
                                 .source = "Van Loan, Computational Frameworks for the Fast "
                                           "Fourier Transform, SIAM 1992: radix 2",
                                 .growth = GROWS_WITH_FLOPS,
                                 .flops = flops,
                                 .bytes = bytes};

size_t fft_blocks(const struct problem *p)
{
    return ceiling(fft_batch(p), p->nb);
}

/* The first block notes the size of the team. */
static void compute(struct problem *p, size_t block, enum fft_plan plan)
{
    if (block == 0)
        execution_note_outer_team(p->execution);
    for (size_t b = block * p->nb; b < smaller((block + 1) * p->nb, fft_batch(p)); b++) {
        const struct access accesses[] = {{fft_transform(p, b), ACCESS_WRITE}};
        struct call call = {&about_fft, 0, sizes_mnk(p->n, p->n, 1)};
        if (!execution_enter(p->execution, call, accesses, 1))
            continue;
        plans_execute(fields_of(p)->plans, plan, fft_field(p, b), fft_transform(p, b));
        execution_leave(p->execution);
    }
}

void fft_compute(struct problem *p, size_t block)
{
    compute(p, block, PLAN_FLAT);
}

void fft_compute_nested(struct problem *p, size_t block)
{
    compute(p, block, PLAN_NESTED);
}

void fft_run_job(struct problem *p, struct jobs jobs, size_t job)
{
    if (job == 0)
        execution_note_inner_team(p->execution);
    jobs.work(jobs.first + job * jobs.bytes);
}
