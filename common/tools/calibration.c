/* SPDX-License-Identifier: BSD-3-Clause
 * The speed of the machine now: every thread repeats dgemm on tiles of its own for a few
 * milliseconds. One line of JSON.
 *
 *     calibration [--threads T] [--tile NB] [--milliseconds MS]
 *
 * Measurements between two of these are trusted only if both are as fast as usual, so whatever slows
 * the machine down must show: other processes, time that the hypervisor takes, a lower clock
 * frequency. A thread's figure is therefore all its operations over all the wall time they took.
 * A median over its products would be a better estimate of what the processor can do, but
 * would hide exactly those products that were interrupted.
 *
 * The products are kernel_gemm's, C := C - A Bᵀ, called without its observer and failure flag. All
 * threads work at the same time, since what they share (clock, caches, memory) is part of the speed
 * that a benchmark sees. */
#include <cblas.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/command_line.h"
#include "common/base/limits.h"
#include "common/base/message.h"
#include "common/base/number_list.h"
#include "common/execution/team.h"
#include "common/matrix/input.h"
#include "common/process/setup.h"
#include "common/process/team_needs.h"

enum { LINE_BYTES = 64 };

/* Pages, caches and OpenBLAS' buffers are touched by then: measured on Zen 4 with NB = 192, a
 * thread's first product takes 0.5 ms, its second 0.35 ms, all later ones 0.29 ms. */
static const double WARMUP_SECONDS = 0.005;

struct order {
    size_t threads, nb, milliseconds;
};

/* What one thread measured, on a cache line of its own. */
struct rate {
    double flops;
    double seconds; /* 0: no memory */
    char padding[LINE_BYTES - 2 * sizeof(double)];
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct order *order = state->input;
    switch (key) {
    case 't':
        order->threads = number_parse(text, "--threads", 1, THREADS_MAX);
        return 0;
    case 'b':
        order->nb = number_parse(text, "--tile", 1, 4096);
        return 0;
    case 'm':
        order->milliseconds = number_parse(text, "--milliseconds", 1, 60000);
        return 0;
    case 'h':
        command_line_help(state);
    default:
        return command_line_other(key, text, state);
    }
}

static struct order parse_order(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"threads", 't', "T", 0,
         "threads (OMP_NUM_THREADS, else as processors and CPU quota allow)", 1},
        {"tile", 'b', "NB", 0, "order of the products (192)", 1},
        {"milliseconds", 'm', "MS", 0, "how long each thread repeats them (40)", 1},
        {"help", 'h', NULL, 0, "show this help", 2},
        {0}};
    const struct argp argp = {
        .options = table,
        .parser = parse_option,
        .doc = "calibration: GFlop/s of dgemm on every thread at once, as one line of JSON.\v"
               "Exit status: 0 all right, 2 bad usage, 3 the machine cannot do it."};
    struct order order = {.nb = 192, .milliseconds = 40};
    command_line_parse(&argp, argc, argv, &order);
    return order;
}

/* Three tiles of nb × nb, written by the calling thread so that their pages are near it; NULL
 * if out of memory. Random elements: neither zeros nor denormal numbers, whose speed may differ. */
static double *create_tiles(const struct order *order, size_t ld, size_t thread)
{
    size_t elements = ld * order->nb;
    double *tiles = aligned_alloc(LINE_BYTES, 3 * elements * sizeof *tiles);
    struct input input = {.kind = INPUT_UNIFORM, .m = ld, .n = 3 * order->nb, .seed = thread};
    if (tiles)
        input_tile(&input, 0, 0, (struct tile){tiles, ld, 3 * order->nb, ld, tiles});
    return tiles;
}

/* Repeats the product for at least that long. */
static struct rate multiply_for(double least_seconds, size_t nb, size_t ld, double *tiles)
{
    const double *A = tiles, *B = tiles + ld * nb;
    double *C = tiles + 2 * ld * nb, n = (double)nb;
    struct rate rate = {0};
    double start = now_seconds();
    while (rate.seconds < least_seconds) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)nb, (int)nb, (int)nb, -1.0, A,
                    (int)ld, B, (int)ld, 1.0, C, (int)ld);
        rate.flops += 2 * n * n * n;
        rate.seconds = now_seconds() - start;
    }
    return rate;
}

/* What the threads share; rates and tiles have one place for each of them. */
struct measurement {
    const struct order *order;
    size_t ld;
    struct rate *rates;
    double **tiles;
};

static void warm_up(void *argument, size_t thread)
{
    struct measurement *m = argument;
    m->tiles[thread] = create_tiles(m->order, m->ld, thread);
    if (m->tiles[thread])
        multiply_for(WARMUP_SECONDS, m->order->nb, m->ld, m->tiles[thread]);
}

static void measure_thread(void *argument, size_t thread)
{
    struct measurement *m = argument;
    if (m->tiles[thread])
        m->rates[thread] = multiply_for(1e-3 * (double)m->order->milliseconds, m->order->nb, m->ld,
                                        m->tiles[thread]);
}

/* Runs the kernel on all threads.
 * @param[out] team threads that the runtime gave; if fewer than requested, nothing was measured
 * @return seconds from the start of the first thread to the end of the last */
static double measure(struct measurement *m, size_t *team)
{
    size_t threads = m->order->threads;
    *team = team_each(threads, warm_up, m);
    double start = now_seconds();
    if (*team == threads)
        team_each(threads, measure_thread, m);
    double end = now_seconds();
    for (size_t t = 0; t < threads; t++)
        free(m->tiles[t]);
    return end - start;
}

static void print_rates(const struct order *order, const struct rate *rates, double seconds)
{
    json_t *gflops = json_array();
    for (size_t t = 0; t < order->threads; t++)
        json_array_append_new(gflops, json_real(1e-9 * rates[t].flops / rates[t].seconds));
    json_t *line = json_pack("{s:s, s:o, s:f, s:I, s:I}", "schema", "pollux-calibration/1",
                             "gflops", gflops, "seconds", seconds, "threads",
                             (json_int_t)order->threads, "nb", (json_int_t)order->nb);
    json_dumpf(line, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(line);
    message_flush_output();
}

static void calibrate(const struct setup *setup, struct order *order)
{
    bool usual = order->threads == 0;
    if (usual)
        order->threads = team_default_threads();
    team_require(setup, order->threads, 3 * order->threads * order->nb * order->nb * 8);
    if (usual)
        team_explain_default();
    size_t team = 0, bytes = order->threads * sizeof(struct rate);
    struct rate *rates = aligned_alloc(LINE_BYTES, bytes);
    double **tiles = calloc(order->threads, sizeof *tiles);
    if (!rates || !tiles)
        message_fatal(POLLUX_MACHINE, "no memory");
    memset(rates, 0, bytes);
    struct measurement measurement = {order, tile_leading_dimension(order->nb), rates, tiles};
    double seconds = measure(&measurement, &team);
    team_require_given(team, order->threads);
    for (size_t t = 0; t < order->threads; t++)
        if (rates[t].seconds <= 0)
            message_fatal(POLLUX_MACHINE, "no memory for tiles of order %zu on %zu thread%s",
                          order->nb, order->threads, plural(order->threads));
    print_rates(order, rates, seconds);
    free(tiles);
    free(rates);
}

int main(int argc, char **argv)
{
    message_program(argv[0]);
    struct order order = parse_order(argc, argv);
    /* There are no tasks here, so none has a priority. */
    const struct setup_needs needs = {0};
    struct setup setup;
    setup_create(&setup, &needs, argv);
    calibrate(&setup, &order);
    setup_destroy(&setup);
    return POLLUX_OK;
}
