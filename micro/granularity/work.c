/* SPDX-License-Identifier: BSD-3-Clause
 * The chain's time is the latency of a multiplication and of an addition, known cycles whatever the memory does.
 * Results are kept, so that compilers cannot leave the work out. */
#include "micro/granularity/work.h"

#include <omp.h>
#include <stdlib.h>

#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/execution/team.h"
#include "kernels/dense/dgemm.h"

const char *const work_names[] = {"cycles", "dgemm", NULL};

enum { LINE = 64, CHAIN_BYTES = 2 * LINE };

struct work {
    enum work_kind kind;
    size_t grain, bytes;
    char *data; /* of each thread, `bytes` */
};

/* Whole cache lines, which no two threads share. */
static size_t thread_bytes(enum work_kind kind, size_t largest)
{
    size_t tile = saturating_multiply(saturating_multiply(largest, largest), sizeof(double));
    return kind == WORK_DGEMM
               ? saturating_multiply(ceiling(saturating_multiply(3, tile), LINE), LINE)
               : CHAIN_BYTES;
}

size_t work_bytes(enum work_kind kind, size_t threads, size_t largest)
{
    return saturating_multiply(threads, thread_bytes(kind, largest));
}

static double *data_of(const struct work *work, size_t thread)
{
    void *data = work->data + thread * work->bytes;
    return data;
}

/* By the thread itself, near to which the pages then are. */
static void fill(void *argument, size_t thread)
{
    const struct work *work = argument;
    for (size_t i = 0; i < work->bytes / sizeof(double); i++)
        data_of(work, thread)[i] = 0.5 - (double)(i % 17) / 16.0;
}

struct work *work_create(enum work_kind kind, size_t threads, size_t largest)
{
    struct work *work = calloc(1, sizeof *work);
    if (work)
        work->data = aligned_alloc(LINE, work_bytes(kind, threads, largest));
    if (!work || !work->data)
        message_fatal(POLLUX_MACHINE, "no memory for the tasks' data of %zu threads", threads);
    work->kind = kind;
    work->bytes = thread_bytes(kind, largest);
    team_require_given(team_each(threads, fill, work), threads);
    return work;
}

void work_destroy(struct work *work)
{
    free(work->data);
    free(work);
}

void work_set_grain(struct work *work, size_t grain)
{
    work->grain = grain;
}

static void run_chain(double *cell, size_t count)
{
    double x = *cell;
    for (size_t i = 0; i < count; i++)
        x = x * 0.999755859375 + 0.000244140625; /* converges to 1 */
    *(volatile double *)cell = x;
}

static void multiply_tiles(double *data, size_t order)
{
    size_t elements = order * order;
    dgemm(-1.0, NO_TRANSPOSE, tile_view(data, order, order, order), TRANSPOSE,
          tile_view(data + elements, order, order, order), 1.0,
          tile_view(data + 2 * elements, order, order, order));
}

void work_run(void *argument)
{
    const struct work *work = argument;
    double *data = data_of(work, (size_t)omp_get_thread_num());
    if (work->kind == WORK_DGEMM)
        multiply_tiles(data, work->grain);
    else
        run_chain(data, work->grain);
}

double work_units(enum work_kind kind, size_t grain)
{
    double n = (double)grain;
    return kind == WORK_DGEMM ? n * n * n : n;
}

void work_default_grains(enum work_kind kind, size_t *smallest, size_t *largest)
{
    static const size_t first[] = {[WORK_CYCLES] = 16, [WORK_DGEMM] = 8};
    static const size_t last[] = {[WORK_CYCLES] = 65536, [WORK_DGEMM] = 192};
    *smallest = *smallest > 0 ? *smallest : first[kind];
    *largest = *largest > 0 ? *largest : last[kind];
}

size_t work_grains(enum work_kind kind, size_t smallest, size_t largest, size_t *grains)
{
    size_t count = 0;
    work_default_grains(kind, &smallest, &largest);
    for (size_t g = smallest; g <= largest; g *= 2) {
        size_t between = g + g / 2;
        grains[count++] = g;
        if (kind == WORK_DGEMM && between > g && between <= largest)
            grains[count++] = between;
    }
    return count;
}
