/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods share: the tree that a tile takes, the count of messages, the team. */
#include "benchmarks/mpi/exchange.h"

#include <omp.h>
#include <stdlib.h>

#include "benchmarks/mpi/tree.h"
#include "benchmarks/mpi/watchdog.h"

void message_finish(struct exchange *x, const struct message *message, bool sends,
                    MPI_Status *status)
{
    int count = message->count;
    if (!sends)
        MPI_Get_count(status, MPI_DOUBLE, &count);
    if (count != message->count)
        world_fail(POLLUX_MACHINE, "a message of rank %d has %d numbers in place of %d",
                   message->peer, count, message->count);
    atomic_fetch_add(sends ? &x->sent : &x->received, 1);
}

static struct message message_of(const struct tile_matrix *A, size_t i, size_t j, int peer)
{
    struct tile t = tile_at(A, i, j);
    return (struct message){t.a, (int)(t.ld * t.cols), peer, (int)(i + j * A->mt)};
}

void exchange_share(struct problem *p, size_t i, size_t j)
{
    struct exchange *x = p->spread->exchange;
    size_t count = spread_route(p->spread, i, j, x->ranks);
    struct tree_place place = tree_place(x->ranks, count, world()->rank);
    if (place.place == TREE_ABSENT)
        return;
    if (place.parent >= 0) {
        atomic_fetch_add(&x->to_receive, 1);
        x->method->receive(x, message_of(p->A, i, j, place.parent));
    }
    for (size_t c = 0; c < place.children; c++) {
        struct message message = message_of(p->A, i, j, place.child[c]);
        p->spread->traffic.messages++;
        p->spread->traffic.bytes += (uint64_t)message.count * sizeof(double);
        atomic_fetch_add(&x->to_send, 1);
        x->method->send(x, message);
    }
}

void exchange_complete(struct problem *p)
{
    struct exchange *x = p->spread->exchange;
    x->method->complete(x);
}

/* The first thread is that which has initialised MPI: `funneled` needs it. */
static void run_team(struct exchange *x, void (*submit)(struct problem *p))
{
    struct problem *p = x->problem;
    int threads = (int)p->threads;
#pragma omp parallel num_threads(threads) shared(x, p, submit)
    {
#pragma omp master
        {
            execution_note_outer_team(p->execution);
            x->method->begin(x);
            submit(p);
            x->method->end(x);
        }
    }
}

void exchange_run(struct problem *p, const struct method *method, void (*submit)(struct problem *p))
{
    struct exchange x = {.method = method,
                         .problem = p,
                         .transfers = p->spread->transfers,
                         .ranks = malloc((size_t)world()->ranks * sizeof(int))};
    if (!x.ranks)
        world_fail(POLLUX_MACHINE, "no memory");
    p->spread->traffic = (struct traffic){0};
    p->spread->exchange = &x;
    struct watchdog *watchdog = watchdog_create(&x);
    run_team(&x, submit);
    watchdog_destroy(watchdog);
    p->spread->exchange = NULL;
    free(x.ranks);
}
