/* SPDX-License-Identifier: BSD-3-Clause
 * How tiles travel between ranks while tasks run. The thread that creates the tasks of a rank calls these functions
 * between them, and all ranks call them in the same order:
 *
 *     tasks that write tile (i, j), on the rank on which it lives
 *     exchange_share(p, i, j);     on every rank: the tile goes to all that read it, by a tree, once to each
 *     exchange_move(p, i, j, from, to);   or: to one rank, whose tasks write it next
 *     exchange_complete(p);        after one or more of these
 *     tasks that read it, on any rank; they name its address in problem->A like any other tile
 *
 * What these do is the variant, a struct method. Each has the argument of its own why it cannot deadlock
 * (docs/messages.md). */
#ifndef POLLUX_BENCHMARKS_MPI_EXCHANGE_H
#define POLLUX_BENCHMARKS_MPI_EXCHANGE_H

#include <mpi.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "benchmarks/mpi/log.h"
#include "benchmarks/mpi/spread.h"

/** What a tag says: the kind, and the tile, or the step or column, twice. */
struct message_name {
    enum message_kind kind;
    size_t i, j;
};

struct message_name message_name(const struct tile_matrix *A, int tag);

/** The same in words, such as "tile (3, 1)".
 * @param[out] text of that size */
void message_words(struct message_name name, char *text, size_t size);

/** Tags that messages of this matrix need, up to that kind. */
size_t message_tags(const struct tile_matrix *A, enum message_kind last);

/** One message of this rank. */
struct message {
    void *buffer;      /**< the tile's first element, by which tasks name it */
    int count;         /**< elements, padding included */
    MPI_Datatype type; /**< of the elements */
    int peer, tag;
    size_t number; /**< in the log */
};

/** A communication variant; all functions are called by the thread that creates the tasks, the first and the last outside
 * of the team. */
struct method {
    const char *name;
    int level;       /**< thread level of MPI that it needs */
    size_t threads;  /**< of a rank, at least, where there are several ranks */
    const char *why; /**< it needs so many; NULL: one is enough */
    bool awake;      /**< its tasks wait: a thread must be awake for others */
    bool detached;   /**< its tasks are incomplete while messages are under way */
    /** Makes all that a run's messages need, x->own. */
    void (*create)(struct exchange *x);
    /** Before the first task. NULL: there is nothing to do. */
    void (*begin)(struct exchange *x);
    /** The tile comes from another rank: later tasks may read it. */
    void (*receive)(struct exchange *x, struct message message);
    /** The tile goes to another rank; tasks created earlier write it, or it has been received. */
    void (*send)(struct exchange *x, struct message message);
    /** Before tasks are created that read the tiles received since the last call. */
    void (*complete)(struct exchange *x);
    /** Before tasks are created that write a tile that was shared. NULL: dependences order them. */
    void (*settle)(struct exchange *x);
    /** Returns when all tasks created so far and all messages are complete; more follow. NULL: after `settle`, a taskwait
     * does. */
    void (*pass)(struct exchange *x);
    /** All tasks that messages serve have been created: returns when these and all messages are complete. */
    void (*end)(struct exchange *x);
    void (*destroy)(struct exchange *x);
};

/** A run's messages. */
struct exchange {
    const struct method *method;
    struct problem *problem;
    size_t transfers; /**< messages of this rank at most */
    int *ranks;       /**< scratch: a route */
    void *own;        /**< the method's */
    struct watchdog *watchdog;
    struct message_log *log; /**< NULL unless the run is traced */
    /** For the watchdog: messages wanted and come, asked to be sent and gone. */
    atomic_size_t to_receive, received, to_send, sent;
    atomic_size_t apart; /**< messages so far that the method has no part in */
    sem_t over;          /**< what a thread that is no worker sleeps on */
};

/** The threads of the team in which a method runs so many workers. libomp takes a team of one thread for none, and runs
 * its tasks as soon as they are ready, whatever their priority: there `detach` has a second thread that only sleeps. */
size_t exchange_team(const struct method *method, size_t workers);

/** Opens that team for the problem's threads, in which the first thread calls a function. Returns when the tasks that it has
 * created are complete, and the messages. */
void exchange_in_team(struct exchange *x, void (*create_tasks)(void *argument), void *argument);

/** Threads that compute in a kernel, read while they begin and end them. */
size_t exchange_computing(const struct exchange *x);

/** The methods; the last two only where the compiler knows their clause, and the last where its library was found. */
extern const struct method exchange_funneled, exchange_taskyield, exchange_blocking,
    exchange_detach, exchange_callback;

/** Before the timed region: makes all that messages by this method need, and returns when all ranks have come here. */
void exchange_create(struct problem *p, const struct method *method);

/** Runs the task graph of this rank in a team of the problem's threads, its messages by that method. */
void exchange_run(struct problem *p);

/** After the timed region; returns when all ranks have come here. */
void exchange_destroy(struct problem *p);

void exchange_share(struct problem *p, size_t i, size_t j);

/** Tile (i, j) goes from one rank to another, where tasks write it next; nothing happens where they are one. It comes
 * back, or is shared, in the same way. */
void exchange_move(struct problem *p, size_t i, size_t j, int from, int to);

/** Moves tiles (k, first) … to the end of their row from the ranks of row `from` to those of row `to`. */
void exchange_move_row(struct problem *p, size_t k, size_t first, size_t from, size_t to);

/** Shares tile (i, j) of a companion matrix along the route of that of A. */
void exchange_share_companion(struct problem *p, size_t which, size_t i, size_t j);

/** What is no tile goes from one rank to all others; `number` tells such messages apart, from 0. */
void exchange_share_with_all(struct problem *p, struct message message, int root, size_t number);

/** What is of a column of the matrix goes from one rank to another; nothing happens where they are one. */
void exchange_hand(struct problem *p, struct message message, enum message_kind kind, size_t column,
                   int from, int to);

/** What is of a column of panel k goes from the rank of the diagonal to all on which tiles of the panel live. */
void exchange_share_in_panel(struct problem *p, struct message message, enum message_kind kind,
                             size_t k, size_t column);

void exchange_complete(struct problem *p);

/** Before tasks are created that write a tile that has been shared. */
void exchange_settle(struct problem *p);

/** Notes that a message is over, and ends all ranks where it was received and has not the length of its tile. */
void message_finish(struct exchange *x, const struct message *message, bool sends,
                    MPI_Status *status);

#endif
