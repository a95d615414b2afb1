/* SPDX-License-Identifier: BSD-3-Clause
 * Messages have places from the start, so that threads can write to them while others are added. */
#include "benchmarks/mpi/log.h"

#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/sizes.h"

enum { FIRST_WAITS = 64 };

struct message_log *log_create(size_t messages)
{
    struct message_log *log = calloc(1, sizeof *log);
    if (!log)
        return NULL;
    log->capacity = larger(messages, 1);
    log->messages = calloc(log->capacity, sizeof *log->messages);
    if (!log->messages) {
        free(log);
        return NULL;
    }
    return log;
}

void log_destroy(struct message_log *log)
{
    if (!log)
        return;
    free(log->messages);
    free(log->waits);
    free(log);
}

size_t log_ask(struct message_log *log, struct logged_message message)
{
    if (!log)
        return 0;
    if (log->count == log->capacity)
        abort(); /* of the caller's own bound */
    message.asked_ns = now_ns(CLOCK_MONOTONIC);
    log->messages[log->count] = message;
    return log->count++;
}

void log_start(struct message_log *log, size_t number)
{
    if (log)
        log->messages[number].started_ns = now_ns(CLOCK_MONOTONIC);
}

void log_finish(struct message_log *log, size_t number)
{
    if (log)
        log->messages[number].finished_ns = now_ns(CLOCK_MONOTONIC);
}

int64_t log_wait_begin(const struct message_log *log)
{
    return log ? now_ns(CLOCK_MONOTONIC) : 0;
}

static bool make_room(struct message_log *log)
{
    if (log->wait_count < log->wait_capacity)
        return true;
    size_t capacity = log->wait_capacity ? 2 * log->wait_capacity : FIRST_WAITS;
    struct logged_wait *waits = realloc(log->waits, capacity * sizeof *waits);
    if (!waits)
        return false;
    log->waits = waits;
    log->wait_capacity = capacity;
    return true;
}

void log_wait(struct message_log *log, int64_t begin_ns, bool drained)
{
    if (log && make_room(log))
        log->waits[log->wait_count++] =
            (struct logged_wait){begin_ns, now_ns(CLOCK_MONOTONIC), drained};
}
