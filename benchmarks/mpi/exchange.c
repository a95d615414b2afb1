/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods share: the tree that a tile takes, the count of messages, the team. */
#include "benchmarks/mpi/exchange.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "benchmarks/mpi/runtime.h"
#include "benchmarks/mpi/tree.h"
#include "benchmarks/mpi/watchdog.h"
#include "common/base/sizes.h"
#include "common/execution/team.h"

void message_finish(struct exchange *x, const struct message *message, bool sends,
                    MPI_Status *status)
{
    int count = message->count;
    if (!sends)
        MPI_Get_count(status, message->type, &count);
    if (count != message->count)
        world_fail(POLLUX_MACHINE, "a message of rank %d has %d numbers in place of %d",
                   message->peer, count, message->count);
    log_finish(x->log, message->number);
    atomic_fetch_add(sends ? &x->sent : &x->received, 1);
}

static size_t tag_of(const struct tile_matrix *A, size_t kind, size_t place)
{
    size_t tiles = smaller(kind, KIND_CANDIDATE), columns = kind - tiles;
    return tiles * A->mt * A->nt + columns * A->n + place;
}

size_t message_tags(const struct tile_matrix *A, enum message_kind last)
{
    return tag_of(A, (size_t)last + 1, 0);
}

static bool is_of_tile(enum message_kind kind)
{
    return kind != KIND_STEP && kind < KIND_CANDIDATE;
}

struct message_name message_name(const struct tile_matrix *A, int tag)
{
    enum message_kind kind = KIND_WINNER;
    while (tag_of(A, kind, 0) > (size_t)tag)
        kind--;
    size_t place = (size_t)tag - tag_of(A, kind, 0);
    return is_of_tile(kind) ? (struct message_name){kind, place % A->mt, place / A->mt}
                            : (struct message_name){kind, place, place};
}

void message_words(struct message_name name, char *text, size_t size)
{
    static const char *const kinds[] = {[KIND_TILE] = "tile",
                                        [KIND_FIRST_COMPANION] = "what belongs to tile",
                                        [KIND_STEP] = "what belongs to step",
                                        [KIND_SECOND_COMPANION] = "what belongs to tile",
                                        [KIND_CANDIDATE] = "a candidate of column",
                                        [KIND_WINNER] = "the winner of column"};
    if (is_of_tile(name.kind))
        snprintf(text, size, "%s (%zu, %zu)", kinds[name.kind], name.i, name.j);
    else
        snprintf(text, size, "%s %zu", kinds[name.kind], name.i);
}

static uint64_t bytes_of(const struct message *message)
{
    int bytes;
    MPI_Type_size(message->type, &bytes);
    return (uint64_t)message->count * (uint64_t)bytes;
}

static size_t log_message(struct exchange *x, const struct message *message, bool sends)
{
    return log_ask(x->log, (struct logged_message){.bytes = (int64_t)bytes_of(message),
                                                   .peer = message->peer,
                                                   .tag = message->tag,
                                                   .sends = sends});
}

static void receive(struct exchange *x, struct message message, int peer)
{
    message.peer = peer;
    message.number = log_message(x, &message, false);
    atomic_fetch_add(&x->to_receive, 1);
    x->method->receive(x, message);
}

static void send(struct exchange *x, struct message message, int peer)
{
    struct traffic *traffic = &x->problem->spread->traffic;
    message.peer = peer;
    message.number = log_message(x, &message, true);
    traffic->messages++;
    traffic->bytes += bytes_of(&message);
    atomic_fetch_add(&x->to_send, 1);
    x->method->send(x, message);
}

/* The part of this rank in the tree over x->ranks. */
static void pass_on(struct exchange *x, size_t count, struct message message)
{
    struct tree_place place = tree_place(x->ranks, count, world()->rank);
    if (place.place == TREE_ABSENT)
        return;
    if (place.parent >= 0)
        receive(x, message, place.parent);
    for (size_t c = 0; c < place.children; c++)
        send(x, message, place.child[c]);
}

/* Tile (i, j) of A or of its companion; it has an address only on ranks to which it comes. */
static struct message tile_message(const struct problem *p, const struct tile_matrix *M,
                                   enum message_kind kind, size_t i, size_t j)
{
    struct tile t = tile_at(M, i, j);
    return (struct message){.buffer = t.a,
                            .count = (int)(t.ld * t.cols),
                            .type = MPI_DOUBLE,
                            .tag = (int)tag_of(p->A, kind, i + j * p->A->mt)};
}

static void share(struct problem *p, const struct tile_matrix *M, enum message_kind kind, size_t i,
                  size_t j)
{
    struct exchange *x = p->spread->exchange;
    if (!tile_address(M, i, j))
        return; /* this rank is not on its route, which takes long to find */
    size_t count = spread_route(p->spread, i, j, x->ranks);
    pass_on(x, count, tile_message(p, M, kind, i, j));
}

void exchange_share(struct problem *p, size_t i, size_t j)
{
    share(p, p->A, KIND_TILE, i, j);
}

static void hand_over(struct exchange *x, struct message message, int from, int to)
{
    int rank = world()->rank;
    if (from != to && from == rank)
        send(x, message, to);
    else if (from != to && to == rank)
        receive(x, message, from);
}

void exchange_move(struct problem *p, size_t i, size_t j, int from, int to)
{
    hand_over(p->spread->exchange, tile_message(p, p->A, KIND_TILE, i, j), from, to);
}

void exchange_move_row(struct problem *p, size_t k, size_t first, size_t from, size_t to)
{
    for (size_t n = first_column_here(first); n < p->A->nt; n += world()->columns)
        exchange_move(p, k, n, world_owner(from, n), world_owner(to, n));
}

void exchange_share_companion(struct problem *p, size_t which, size_t i, size_t j)
{
    enum message_kind kind = which == 0 ? KIND_FIRST_COMPANION : KIND_SECOND_COMPANION;
    share(p, p->spread->companions[which], kind, i, j);
}

void exchange_share_with_all(struct problem *p, struct message message, int root, size_t number)
{
    struct exchange *x = p->spread->exchange;
    int ranks = world()->ranks;
    for (int r = 0; r < ranks; r++)
        x->ranks[r] = (root + r) % ranks;
    message.tag = (int)tag_of(p->A, KIND_STEP, number);
    pass_on(x, (size_t)ranks, message);
}

void exchange_hand(struct problem *p, struct message message, enum message_kind kind, size_t column,
                   int from, int to)
{
    message.tag = (int)tag_of(p->A, kind, column);
    hand_over(p->spread->exchange, message, from, to);
}

void exchange_share_in_panel(struct problem *p, struct message message, enum message_kind kind,
                             size_t k, size_t column)
{
    struct exchange *x = p->spread->exchange;
    size_t count = smaller(world()->rows, p->A->mt - k);
    for (size_t r = 0; r < count; r++)
        x->ranks[r] = world_owner(k + r, k);
    message.tag = (int)tag_of(p->A, kind, k * p->A->nb + column);
    pass_on(x, count, message);
}

void exchange_complete(struct problem *p)
{
    struct exchange *x = p->spread->exchange;
    x->method->complete(x);
}

void exchange_settle(struct problem *p)
{
    struct exchange *x = p->spread->exchange;
    if (x->method->settle)
        x->method->settle(x);
}

size_t exchange_team(const struct method *method, size_t workers)
{
    return method->detached && workers == 1 && runtime_is_libomp() ? 2 : workers;
}

size_t exchange_computing(const struct exchange *x)
{
    const struct execution *execution = x->problem->execution;
    size_t threads = 0;
    for (size_t t = 0; t < execution->threads; t++)
        threads += __atomic_load_n(&execution->workers[t].computing, __ATOMIC_RELAXED) > 0;
    return threads;
}

/* A thread that is no worker. */
static void sleep_until_over(struct exchange *x)
{
    while (sem_wait(&x->over) != 0)
        continue; /* a signal */
}

/* `funneled` needs the first thread of the team to be that which has initialised MPI. */
void exchange_in_team(struct exchange *x, void (*create_tasks)(void *argument), void *argument)
{
    size_t workers = x->problem->threads;
    int threads = (int)exchange_team(x->method, workers);
    sem_init(&x->over, 0, 0);
#pragma omp parallel num_threads(threads) shared(x, create_tasks, argument, workers)
    {
        int thread = omp_get_thread_num();
        if (thread == 0) {
            if (x->method->begin)
                x->method->begin(x);
            create_tasks(argument);
            x->method->end(x);
            sem_post(&x->over);
        } else if ((size_t)thread >= workers)
            sleep_until_over(x);
    }
    sem_destroy(&x->over);
}

static void create_tasks(void *argument)
{
    struct exchange *x = argument;
    struct problem *p = x->problem;
    size_t team = (size_t)omp_get_num_threads();
    execution_note_outer_threads(p->execution, smaller(team, p->threads));
    team_require_given(smaller(team, p->threads), p->threads);
    p->spread->about->tasks(p);
    execution_note_submitted(p->execution);
}

void exchange_create(struct problem *p, const struct method *method)
{
    struct spread *s = p->spread;
    struct exchange *x = calloc(1, sizeof *x);
    log_destroy(s->log);
    s->log = p->execution->tracing ? log_create(s->transfers) : NULL;
    s->exchange = x;
    s->traffic = (struct traffic){0};
    if (x)
        *x = (struct exchange){.method = method,
                               .problem = p,
                               .transfers = s->transfers,
                               .log = s->log,
                               .ranks = malloc((size_t)world()->ranks * sizeof(int))};
    if (!x || !x->ranks || (p->execution->tracing && !x->log))
        world_fail(POLLUX_MACHINE, "no memory");
    method->create(x);
    world_gather();
    x->watchdog = watchdog_create(x); /* not before: a rank that is late does not hang */
}

void exchange_run(struct problem *p)
{
    exchange_in_team(p->spread->exchange, create_tasks, p->spread->exchange);
}

void exchange_destroy(struct problem *p)
{
    struct exchange *x = p->spread->exchange;
    watchdog_destroy(x->watchdog);
    x->method->destroy(x);
    p->spread->exchange = NULL;
    free(x->ranks);
    free(x);
    world_gather();
}
