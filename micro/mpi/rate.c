/* SPDX-License-Identifier: BSD-3-Clause
 * How many messages a second go from rank 0 to rank 1, a window of them at a time: each read by a task, or sent and
 * received by the threads of the team for themselves. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/execution/team.h"
#include "micro/mpi/pair.h"

enum { WINDOWS = 17 }; /* the first one is not counted: connections are made, and buffers touched */

static const double NS_IN_SECOND = 1e9;

static void fill_all(struct pair *pair)
{
    for (size_t i = 0; world()->rank == 0 && i < pair->slots; i++)
        pair_fill(pair_slot(pair->out, pair, i), pair->shape.bytes, pair->number + i);
}

static void check_all(struct pair *pair)
{
    for (size_t i = 0; world()->rank == 1 && i < pair->slots; i++)
        pair_check(pair, pair_slot(pair->in, pair, i), pair->shape.bytes, pair->number + i);
    pair->number += pair->slots;
}

/* The messages of a window a second. */
static double rate_of(const struct pair *pair, double ns[])
{
    return NS_IN_SECOND * (double)pair->slots / pair_median(ns + 1, WINDOWS - 1);
}

static void send_window(struct pair *pair)
{
    for (size_t i = 0; i < pair->slots; i++)
        pair_send(pair, pair_slot(pair->out, pair, i), pair->shape.bytes, (int)i);
    pair->exchange.method->complete(&pair->exchange);
}

static void receive_window(struct pair *pair)
{
    for (size_t i = 0; i < pair->slots; i++)
        pair_receive(pair, pair_slot(pair->in, pair, i), pair->shape.bytes, (int)i);
    pair->exchange.method->complete(&pair->exchange);
    for (size_t i = 0; i < pair->slots; i++)
        pair_read(pair, pair_slot(pair->in, pair, i), pair->number + i, &pair->began_ns[i]);
}

void pair_rate(struct pair *pair, struct pair_times *times)
{
    double ns[WINDOWS];
    for (size_t w = 0; w < WINDOWS; w++) {
        fill_all(pair);
        MPI_Barrier(MPI_COMM_WORLD);
        int64_t begin = now_ns(CLOCK_MONOTONIC);
        if (world()->rank == 0)
            send_window(pair);
        else
            receive_window(pair);
        pair_finish(pair);
        ns[w] = pair_slower((double)(now_ns(CLOCK_MONOTONIC) - begin));
        check_all(pair);
    }
    times->rate = rate_of(pair, ns);
}

/* The window of one thread. */
static void transfer_own(struct pair *pair, size_t thread)
{
    MPI_Request requests[PAIR_WINDOW];
    MPI_Status statuses[PAIR_WINDOW]; /* gcc warns of those that MPICH ignores */
    uint64_t *words = world()->rank == 0 ? pair->out : pair->in;
    for (size_t i = 0; i < PAIR_WINDOW; i++) {
        size_t slot = thread * PAIR_WINDOW + i;
        struct message m = pair_message(pair_slot(words, pair, slot), pair->shape.bytes, (int)slot);
        if (world()->rank == 0)
            MPI_Isend(m.buffer, m.count, m.type, m.peer, m.tag, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Irecv(m.buffer, m.count, m.type, m.peer, m.tag, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(PAIR_WINDOW, requests, statuses);
}

/* A window of every thread. @return the time from the first one's start to the last one's end */
static double run_window(struct pair *pair)
{
    int64_t begin = 0, end = 0;
    int threads = (int)pair->shape.threads;
#pragma omp parallel num_threads(threads) shared(pair, begin, end)
    {
        if (omp_get_thread_num() == 0) {
            team_require_given((size_t)omp_get_num_threads(), pair->shape.threads);
            MPI_Barrier(MPI_COMM_WORLD);
            begin = now_ns(CLOCK_MONOTONIC);
        }
#pragma omp barrier
        transfer_own(pair, (size_t)omp_get_thread_num());
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            end = now_ns(CLOCK_MONOTONIC);
    }
    return (double)(end - begin);
}

void pair_rate_of_threads(struct pair *pair, struct pair_times *times)
{
    struct exchange *x = &pair->exchange;
    bool sends = world()->rank == 0;
    double ns[WINDOWS];
    for (size_t w = 0; w < WINDOWS; w++) {
        fill_all(pair);
        atomic_fetch_add(sends ? &x->to_send : &x->to_receive, pair->slots);
        ns[w] = pair_slower(run_window(pair));
        atomic_fetch_add(sends ? &x->sent : &x->received, pair->slots);
        check_all(pair);
    }
    if (world()->rank == 0)
        pair->sent =
            (struct sent){WINDOWS * pair->slots, WINDOWS * pair->slots * pair->shape.bytes};
    times->rate = rate_of(pair, ns);
}
