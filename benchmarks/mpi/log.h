/* SPDX-License-Identifier: BSD-3-Clause
 * When each message of a traced run was asked for, started and finished on this rank, and when the thread that creates the
 * tasks waited for messages. All functions do nothing where there is no log, NULL: the run is not traced. */
#ifndef POLLUX_BENCHMARKS_MPI_LOG_H
#define POLLUX_BENCHMARKS_MPI_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One message of this rank. Times are CLOCK_MONOTONIC. */
struct logged_message {
    int64_t asked_ns;    /**< when the creating thread asked for it */
    int64_t started_ns;  /**< before the call of MPI that started it */
    int64_t finished_ns; /**< when a thread had seen that it was over */
    int64_t bytes;
    int peer, tag;
    bool sends;
};

/** One stretch in which no tasks were created since messages were waited for. */
struct logged_wait {
    int64_t begin_ns, end_ns;
    bool drained; /**< all tasks that had been created were complete at its end */
};

/** The creating thread adds to it; any thread may set the times of a message that is there. */
struct message_log {
    struct logged_message *messages;
    struct logged_wait *waits;
    size_t capacity, count, wait_capacity, wait_count;
};

/** Room for `messages` of them, all that a run can have.
 * @return NULL if out of memory */
struct message_log *log_create(size_t messages);
void log_destroy(struct message_log *log);

/** Adds a message that is asked for now.
 * @return its number in the log */
size_t log_ask(struct message_log *log, struct logged_message message);

void log_start(struct message_log *log, size_t number);
void log_finish(struct message_log *log, size_t number);

/** The time at which a wait begins, for log_wait. */
int64_t log_wait_begin(const struct message_log *log);

/** Adds a wait that ends now; none if out of memory. */
void log_wait(struct message_log *log, int64_t begin_ns, bool drained);

#endif
