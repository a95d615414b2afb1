/* SPDX-License-Identifier: BSD-3-Clause
 * From the arrival of a message to the start of the task that reads it. Messages are received in turns by a thread that
 * does nothing else, and by the variant: what the second takes longer is the latency. The clocks of the two ranks need
 * not agree, since both times have the same offset. */
#include <math.h>

#include "common/base/clock.h"
#include "micro/mpi/pair.h"

enum { SAMPLES = 100, TAG_READY = PAIR_WINDOW, TAG_POLLED, TAG_MESSAGE };

/* Times in ns by the clocks of both ranks. */
struct samples {
    double polled[SAMPLES], tasks[SAMPLES], differences[SAMPLES];
};

static void spin(int64_t ns)
{
    int64_t end = now_ns(CLOCK_MONOTONIC) + ns;
    while (now_ns(CLOCK_MONOTONIC) < end)
        ;
}

/* The pause, and up to as much again: else messages would come at the same moment of each receiver's round of tests and
 * sleep. */
static int64_t pause_of(const struct pair *pair)
{
    uint64_t pause = (uint64_t)pair->shape.pause_ns;
    return (int64_t)(pause + pair_hash(pair->number) % (pause + 1));
}

static void receive_apart(struct pair *pair, struct message m)
{
    MPI_Recv(m.buffer, m.count, m.type, m.peer, m.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    atomic_fetch_add(&pair->exchange.apart, 1);
}

static void send_apart(struct pair *pair, struct message m)
{
    MPI_Send(m.buffer, m.count, m.type, m.peer, m.tag, MPI_COMM_WORLD);
    atomic_fetch_add(&pair->exchange.apart, 1);
    pair->sent.messages++;
    pair->sent.bytes += (size_t)m.count;
}

/* Rank 0: once the other is ready, and its threads have been idle for the pause. */
static void send_one(struct pair *pair, int tag)
{
    uint64_t ready[PAIR_HEADER];
    struct message asked = pair_message(ready, sizeof ready, TAG_READY);
    struct message message = pair_message(pair->out, pair->shape.bytes, tag);
    receive_apart(pair, asked);
    spin(pause_of(pair));
    pair_fill(pair->out, pair->shape.bytes, pair->number++);
    send_apart(pair, message);
}

/* What the sender's clock showed; wrong content has been noted. */
static double since_sent(const struct pair *pair, int64_t ns)
{
    return (double)(ns - (int64_t)pair->in[PAIR_SENT_NS]);
}

static double receive_polled(struct pair *pair, uint64_t *ready)
{
    struct message asked = pair_message(ready, sizeof(uint64_t) * PAIR_HEADER, TAG_READY);
    struct message message = pair_message(pair->in, pair->shape.bytes, TAG_POLLED);
    MPI_Request request;
    MPI_Irecv(message.buffer, message.count, message.type, message.peer, message.tag,
              MPI_COMM_WORLD, &request);
    send_apart(pair, asked);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int64_t now = now_ns(CLOCK_MONOTONIC);
    pair_check(pair, pair->in, pair->shape.bytes, pair->number++);
    return since_sent(pair, now);
}

static double receive_by_task(struct pair *pair, uint64_t *ready)
{
    struct exchange *x = &pair->exchange;
    int64_t began_ns = 0;
    pair_receive(pair, pair->in, pair->shape.bytes, TAG_MESSAGE);
    pair_send(pair, ready, sizeof(uint64_t) * PAIR_HEADER, TAG_READY);
    x->method->complete(x);
    pair_read(pair, pair->in, pair->number, &began_ns);
    pair_finish(pair);
    pair_check(pair, pair->in, pair->shape.bytes, pair->number++);
    return since_sent(pair, began_ns);
}

void pair_latency(struct pair *pair, struct pair_times *times)
{
    struct samples s = {{0}, {0}, {0}};
    uint64_t ready[PAIR_HEADER] = {0};
    for (size_t i = 0; i < SAMPLES; i++) {
        if (world()->rank == 0) {
            send_one(pair, TAG_POLLED);
            send_one(pair, TAG_MESSAGE);
            continue;
        }
        s.polled[i] = receive_polled(pair, ready);
        s.tasks[i] = receive_by_task(pair, ready);
        s.differences[i] = s.tasks[i] - s.polled[i];
    }
    times->latency = pair_median(s.differences, SAMPLES);
    times->one_way = pair_median(s.tasks, SAMPLES);
    times->polled = pair_median(s.polled, SAMPLES);
}
