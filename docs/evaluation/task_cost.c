/* SPDX-License-Identifier: BSD-3-Clause
 * The cost of a task that is due neither to the runtime nor to the BLAS library: finding the tiles,
 * counting the call, testing for an earlier failure, the disabled trace. One line of JSON for each benchmark.
 *
 *     task-cost [N NB]
 *
 * Every kernel call of the variant `seq` is made as a task makes it, with kernels that return where they
 * would begin to compute, and the function that ends a kernel is called as often. The minimum
 * of many rounds is reported, since any disturbance makes a round longer. */
#include <stdio.h>
#include <stdlib.h>

#include "cholesky/cholesky.h"
#include "common/base/clock.h"
#include "common/run/run.h"
#include "lu/variants.h"
#include "qr/qr.h"

enum { ROUNDS = 50 };

static const struct variant *sequential(const struct benchmark *benchmark)
{
    for (size_t v = 0; v < benchmark->variant_count; v++)
        if (benchmark->variants[v].sequential)
            return &benchmark->variants[v];
    return NULL;
}

/* Nanoseconds of one round: all kernel calls, and as many calls of the function that ends a kernel. */
static double time_round(const struct variant *variant, struct problem *p)
{
    int64_t start = now_ns(CLOCK_MONOTONIC);
    execution_reset(p->execution);
    variant->submit(p);
    for (uint64_t i = execution_kernel_count(p->execution); i > 0; i--)
        execution_leave(p->execution);
    return (double)(now_ns(CLOCK_MONOTONIC) - start);
}

static void measure(const struct benchmark *benchmark, size_t n, size_t nb)
{
    const struct variant *variant = sequential(benchmark);
    struct configuration c = {.benchmark = benchmark,
                              .variant = variant,
                              .m = n,
                              .n = n,
                              .mb = nb,
                              .nb = nb,
                              .ib = benchmark->inner_block ? (nb < 32 ? nb : 32) : 0,
                              .threads = 1};
    struct problem *p = run_create(&c);
    double least = 0.0;
    p->execution->describing = true;
    for (size_t r = 0; r < ROUNDS; r++) {
        double ns = time_round(variant, p);
        least = r == 0 || ns < least ? ns : least;
    }
    double calls = (double)execution_kernel_count(p->execution);
    printf("{\"benchmark\": \"%s\", \"n\": %zu, \"nb\": %zu, \"calls\": %.0f, \"ns_per_call\": "
           "%.2f}\n",
           benchmark->name, n, nb, calls, least / calls);
    run_destroy(&c, p);
}

int main(int argc, char **argv)
{
    static const struct benchmark *const all[] = {&cholesky, &lu, &qr};
    long n = argc == 3 ? atol(argv[1]) : 4096, nb = argc == 3 ? atol(argv[2]) : 64;
    if ((argc != 1 && argc != 3) || n < 1 || nb < 1) {
        fprintf(stderr, "usage: task-cost [N NB]\n");
        return 2;
    }
    for (size_t b = 0; b < sizeof all / sizeof *all; b++)
        measure(all[b], (size_t)n, (size_t)nb);
    return 0;
}
