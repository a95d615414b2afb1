/* SPDX-License-Identifier: BSD-3-Clause
 * Runs task graphs on small matrices, for ThreadSanitizer to watch:
 *     race list
 *     race graph BENCHMARK VARIANT SEED     every shape, 2 to 4 threads: factors checked too
 *     race planted|control NAME SEED        once
 * The seed varies the schedule and the matrix. Exit status 0, 1 if a check of the factors failed, 2
 * for bad usage; what ThreadSanitizer reports has its own (exitcode of TSAN_OPTIONS).
 *
 * Two tasks on one thread are never seen to race. So kernels are delayed at random, by an observer
 * that shares nothing between threads: tasks that may run elsewhere then do. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "benchmarks/batched-fft/fft.h"
#include "benchmarks/cell-tree/cells.h"
#include "benchmarks/jacobi/jacobi.h"
#include "common/base/random.h"
#include "common/run/run.h"
#include "tests/benchmarks.h"
#include "tests/race/subjects.h"

struct shape {
    size_t m, n, mb, nb, ib;
};

/* One tile, ragged edges, more tiles than threads, one row of tiles, a tile above the matrix's size, tall
 * tiles. */
static const struct shape square[] = {
    {8, 8, 8, 8, 3}, {38, 38, 8, 8, 3}, {48, 48, 8, 8, 4}, {38, 38, 16, 8, 3}, {10, 10, 32, 32, 5}};
static const struct shape rectangular[] = {{45, 18, 8, 8, 3}, {18, 45, 24, 8, 3}, {5, 30, 8, 8, 4}};
/* Panels high and wide enough to be factored by nested tasks (lu/panel_tasks.c). */
static const struct shape high_panels[] = {{300, 72, 36, 36, 0}};
static const struct shape of_altered = {48, 48, 8, 8, 4};

/* ---- delays ---- */

struct delays {
    uint64_t seed;
    struct execution *execution;
};

/* One kernel in eight sleeps, for up to a millisecond: few are delayed, and many may overtake them. */
static void delay(void *context, struct call call, const struct access *accesses, size_t count)
{
    (void)call, (void)accesses, (void)count;
    const struct delays *d = context;
    const struct worker *worker = execution_worker(d->execution);
    uint64_t thread = (uint64_t)(worker - d->execution->workers);
    uint64_t random = random_bits(d->seed, worker->kernel_count * 64 + thread);
    if (random % 8 == 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)(random >> 32) % 1000000}, NULL);
}

/* ---- runs ---- */

static struct configuration configure(const struct benchmark *benchmark,
                                      const struct variant *variant, struct shape shape,
                                      size_t threads)
{
    struct configuration c = {.benchmark = benchmark,
                              .variant = variant,
                              .m = shape.m,
                              .n = shape.n,
                              .mb = shape.mb,
                              .nb = shape.nb,
                              .ib = benchmark->inner_block ? shape.ib : 0,
                              .threads = threads};
    parameters_standard(benchmark, c.parameters);
    if (benchmark == &jacobi) { /* several tiles in time, one after another */
        c.parameters[JACOBI_SWEEPS] = 5;
        c.parameters[JACOBI_TIME_TILE] = 2;
    }
    if (benchmark == &cell_tree) {
        c.parameters[CELLS_DEPTH] = 2;
        c.parameters[CELLS_BRANCHING] = 3;
    }
    if (benchmark == &batched_fft)
        c.parameters[FFT_BATCH] = 5;
    return c;
}

/* A run of `variant`, with delays, on a problem that another variant may have used before. */
static struct outcome run_delayed(struct configuration c, const struct variant *variant,
                                  struct problem *p, uint64_t seed, enum check check)
{
    struct delays delays = {seed, p->execution};
    const struct observer observer = {delay, &delays};
    c.variant = variant;
    p->execution->observer = &observer;
    struct outcome outcome = run_once(&c, p, seed, check, NULL, NULL);
    p->execution->observer = NULL;
    return outcome;
}

/* The variant without tasks that gives the same factors, or the variant itself. */
static struct configuration sequential(struct configuration c)
{
    c.threads = 1;
    for (size_t b = 0; benchmarks[b]; b++)
        for (size_t v = 0; v < benchmarks[b]->variant_count; v++) {
            const struct variant *candidate = &benchmarks[b]->variants[v];
            if (candidate->sequential &&
                strcmp(candidate->digest_group, c.variant->digest_group) == 0) {
                c.benchmark = benchmarks[b];
                c.variant = candidate;
            }
        }
    return c;
}

static uint64_t expected_digest(struct configuration c, uint64_t seed)
{
    c = sequential(c);
    struct problem *p = run_create(&c);
    uint64_t digest = run_once(&c, p, seed, CHECK_NONE, NULL, NULL).digest;
    run_destroy(&c, p);
    return digest;
}

/* Returns the number of failed checks. */
static int check_shape(const struct benchmark *benchmark, const struct variant *variant,
                       struct shape shape, size_t threads, uint64_t seed)
{
    struct configuration c = configure(benchmark, variant, shape, threads);
    struct problem *p = run_create(&c);
    struct outcome outcome = run_delayed(c, variant, p, seed, CHECK_FULL);
    run_destroy(&c, p);
    if (outcome.passed && outcome.digest == expected_digest(c, seed))
        return 0;
    fprintf(stderr,
            "race: %s %s, %zu x %zu, tiles of %zu x %zu, %zu threads, seed %" PRIu64 ": %s\n",
            benchmark->name, variant->name, shape.m, shape.n, shape.mb, shape.nb, threads, seed,
            outcome.passed ? "the digest is not the sequential one" : "the residual is too large");
    return 1;
}

static int check_shapes(const struct benchmark *benchmark, const struct variant *variant,
                        const struct shape *shapes, size_t count, uint64_t seed)
{
    int failed = 0;
    for (size_t s = 0; s < count; s++)
        for (size_t threads = 2; threads <= 4; threads++)
            failed += check_shape(benchmark, variant, shapes[s], threads, seed + threads);
    return failed;
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static int run_graph(const struct benchmark *benchmark, const struct variant *variant,
                     uint64_t seed)
{
    int failed = check_shapes(benchmark, variant, square, LENGTH(square), seed);
    if (benchmark->rectangular)
        failed += check_shapes(benchmark, variant, rectangular, LENGTH(rectangular), seed);
    if (strcmp(variant->digest_group, "lu-column") == 0)
        failed += check_shapes(benchmark, variant, high_panels, LENGTH(high_panels), seed);
    return failed > 0;
}

static const struct benchmark *find_benchmark(const char *name)
{
    for (size_t b = 0; benchmarks[b]; b++)
        if (strcmp(benchmarks[b]->name, name) == 0)
            return benchmarks[b];
    return NULL;
}

static const struct variant *find_variant(const struct benchmark *benchmark, const char *name)
{
    for (size_t v = 0; benchmark && v < benchmark->variant_count; v++)
        if (strcmp(benchmark->variants[v].name, name) == 0)
            return &benchmark->variants[v];
    return NULL;
}

/* The right graph runs first: it leaves pivots behind that are rows of the matrix, so that a wrong
 * one that exchanges rows too early stays within it. */
static int run_altered(const struct altered *altered, uint64_t seed)
{
    const struct benchmark *benchmark = find_benchmark(altered->benchmark);
    const struct variant *right = find_variant(benchmark, altered->variant);
    struct variant wrong = *right;
    wrong.submit = altered->submit;
    struct shape shape = altered->high_panels ? high_panels[0] : of_altered;
    struct configuration c = configure(benchmark, right, shape, 3 + seed % 2);
    struct problem *p = run_create(&c);
    run_delayed(c, right, p, seed, CHECK_NONE);
    run_delayed(c, &wrong, p, seed, CHECK_NONE);
    run_destroy(&c, p);
    return 0;
}

/* ---- command line ---- */

static void list_altered(const char *kind, const struct altered *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s %s\n", kind, all[i].name);
}

/* At times Archer does not see that an inner team ends before what it is in (docs/race.md). */
static bool is_watched(const struct variant *variant)
{
    return variant->submit && !variant->nested;
}

static int list(void)
{
    for (size_t b = 0; benchmarks[b]; b++)
        for (size_t v = 0; v < benchmarks[b]->variant_count; v++)
            if (is_watched(&benchmarks[b]->variants[v]))
                printf("graph %s %s\n", benchmarks[b]->name, benchmarks[b]->variants[v].name);
    list_altered("planted", planted, planted_count);
    list_altered("control", controls, control_count);
    return 0;
}

static const struct altered *find_altered(const char *kind, const char *name)
{
    bool control = strcmp(kind, "control") == 0;
    const struct altered *all = control ? controls : planted;
    for (size_t i = 0; i < (control ? control_count : planted_count); i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return list();
    if (argc == 5 && strcmp(argv[1], "graph") == 0) {
        const struct benchmark *benchmark = find_benchmark(argv[2]);
        const struct variant *variant = find_variant(benchmark, argv[3]);
        if (variant && variant->submit)
            return run_graph(benchmark, variant, strtoull(argv[4], NULL, 10));
    }
    if (argc == 4) {
        const struct altered *altered = find_altered(argv[1], argv[2]);
        if (altered)
            return run_altered(altered, strtoull(argv[3], NULL, 10));
    }
    fprintf(stderr, "race: usage: race list | graph BENCHMARK VARIANT SEED | planted NAME SEED | "
                    "control NAME SEED; names as in the list\n");
    return 2;
}
