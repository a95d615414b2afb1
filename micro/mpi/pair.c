/* SPDX-License-Identifier: BSD-3-Clause
 * Content, tasks and waiting. All of MPI is called by one thread at a time, that which creates the tasks, except where
 * the variant itself does otherwise. */
#include "micro/mpi/pair.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/mpi/watchdog.h"
#include "common/base/clock.h"
#include "common/base/sizes.h"
#include "common/base/statistics.h"
#include "common/execution/team.h"

enum { LINE = 64, WORD = sizeof(uint64_t), UNITS = 1000000 };
enum {
    MESSAGES_MOST = 8192
}; /* of a repetition, of one rank: far more than the measurements have */

static const struct method threads_alone = {.name = "threads", .level = MPI_THREAD_MULTIPLE};

static size_t lines_of(size_t bytes)
{
    return ceiling(bytes, LINE) * LINE; /* a message has at most INT_MAX */
}

static size_t slots_of(const struct pair_shape *shape)
{
    return shape->method ? PAIR_WINDOW : saturating_multiply(PAIR_WINDOW, shape->threads);
}

size_t pair_bytes(const struct pair_shape *shape)
{
    size_t window = saturating_multiply(slots_of(shape), lines_of(shape->bytes));
    return saturating_multiply(2, saturating_add(window, lines_of(shape->transfer)));
}

static uint64_t *allocate(size_t bytes)
{
    uint64_t *words = aligned_alloc(LINE, bytes);
    if (!words)
        world_fail(POLLUX_MACHINE, "no memory for messages of %zu bytes", bytes);
    for (size_t i = 0; i < bytes / WORD; i++)
        words[i] = 0;
    return words;
}

/* What a unit of the tasks' work takes on an idle processor. */
static double measure_unit(struct work *work)
{
    work_set_grain(work, UNITS);
    work_run(work);
    int64_t begin = now_ns(CLOCK_MONOTONIC);
    work_run(work);
    return (double)(now_ns(CLOCK_MONOTONIC) - begin) / (double)UNITS;
}

struct pair *pair_create(const struct pair_shape *shape)
{
    struct pair *pair = calloc(1, sizeof *pair);
    if (!pair)
        world_fail(POLLUX_MACHINE, "no memory");
    pair->shape = *shape;
    pair->slots = slots_of(shape);
    pair->slot_words = lines_of(shape->bytes) / WORD;
    pair->in = allocate(pair->slots * lines_of(shape->bytes));
    pair->out = allocate(pair->slots * lines_of(shape->bytes));
    pair->large_in = allocate(lines_of(shape->transfer));
    pair->large_out = allocate(lines_of(shape->transfer));
    pair->work = work_create(WORK_CYCLES, shape->threads, 1);
    pair->ns_per_unit = measure_unit(pair->work);
    pair->problem = (struct problem){.threads = shape->threads, .execution = &pair->execution};
    return pair;
}

void pair_destroy(struct pair *pair)
{
    free(pair->in);
    free(pair->out);
    free(pair->large_in);
    free(pair->large_out);
    work_destroy(pair->work);
    free(pair);
}

/* Fibonacci hashing: Knuth, The Art of Computer Programming 3, 6.4. */
uint64_t pair_hash(uint64_t number)
{
    uint64_t product = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return product ^ product >> 32;
}

void pair_fill(uint64_t *words, size_t bytes, uint64_t number)
{
    for (size_t i = PAIR_HEADER; i < ceiling(bytes, WORD); i++)
        words[i] = pair_hash(number) + i;
    words[PAIR_NUMBER] = number;
    words[PAIR_SENT_NS] = (uint64_t)now_ns(CLOCK_MONOTONIC);
    words[PAIR_CHECK] = ~words[PAIR_SENT_NS] ^ number;
}

void pair_check(struct pair *pair, const uint64_t *words, size_t bytes, uint64_t number)
{
    bool right =
        words[PAIR_NUMBER] == number && words[PAIR_CHECK] == (~words[PAIR_SENT_NS] ^ number);
    for (size_t i = PAIR_HEADER; right && i < ceiling(bytes, WORD); i++) {
        uint64_t expected = pair_hash(number) + i;
        right = memcmp(&words[i], &expected, smaller(WORD, bytes - i * WORD)) == 0;
    }
    if (!right)
        result_fail(pair->result, "message %llu of %zu bytes holds something else",
                    (unsigned long long)number, bytes);
}

struct message pair_message(void *buffer, size_t bytes, int tag)
{
    return (struct message){.buffer = buffer,
                            .count = (int)bytes,
                            .type = MPI_BYTE,
                            .peer = 1 - world()->rank,
                            .tag = tag};
}

void pair_receive(struct pair *pair, uint64_t *words, size_t bytes, int tag)
{
    struct exchange *x = &pair->exchange;
    atomic_fetch_add(&x->to_receive, 1);
    x->method->receive(x, pair_message(words, bytes, tag));
}

void pair_send(struct pair *pair, uint64_t *words, size_t bytes, int tag)
{
    struct exchange *x = &pair->exchange;
    pair->sent.messages++;
    pair->sent.bytes += bytes;
    atomic_fetch_add(&x->to_send, 1);
    x->method->send(x, pair_message(words, bytes, tag));
}

static void note_start(struct pair *pair, const uint64_t *words, uint64_t number, int64_t *began_ns)
{
    *began_ns = now_ns(CLOCK_MONOTONIC);
    if (words[PAIR_NUMBER] != number)
        atomic_fetch_add(&pair->early, 1);
}

void pair_read(struct pair *pair, const uint64_t *words, uint64_t number, int64_t *began_ns)
{
#pragma omp task firstprivate(pair, words, number, began_ns) depend(in : words[0])
    note_start(pair, words, number, began_ns);
}

void pair_finish(struct pair *pair)
{
    struct exchange *x = &pair->exchange;
    if (x->method->pass) {
        x->method->pass(x);
        return;
    }
    if (x->method->settle)
        x->method->settle(x);
#pragma omp taskwait
}

double pair_slower(double ns)
{
    double slower;
    MPI_Allreduce(&ns, &slower, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slower;
}

double pair_median(double *values, size_t count)
{
    double known = median(values, count);
    MPI_Bcast(&known, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    return known;
}

static void measure_with_tasks(void *argument)
{
    struct pair *pair = argument;
    size_t team = exchange_team(pair->shape.method, pair->shape.threads);
    team_require_given((size_t)omp_get_num_threads(), team);
    pair_latency(pair, &pair->times);
    pair_rate(pair, &pair->times);
    pair_overlap(pair, &pair->times);
}

static void measure_in_team(struct pair *pair)
{
    struct exchange *x = &pair->exchange;
    x->method->create(x);
    exchange_in_team(x, measure_with_tasks, pair);
    x->method->destroy(x);
}

struct pair_times pair_measure(struct pair *pair, struct result *result)
{
    const struct method *method = pair->shape.method;
    pair->result = result;
    pair->times = (struct pair_times){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    pair->sent = (struct sent){0, 0};
    pair->exchange = (struct exchange){.method = method ? method : &threads_alone,
                                       .problem = &pair->problem,
                                       .transfers = MESSAGES_MOST};
    struct watchdog *watchdog = watchdog_create(&pair->exchange);
    if (method)
        measure_in_team(pair);
    else
        pair_rate_of_threads(pair, &pair->times);
    watchdog_destroy(watchdog);
    size_t early = atomic_exchange(&pair->early, 0);
    if (early > 0)
        result_fail(result, "%zu tasks began before their messages had come", early);
    return pair->times;
}
