/* SPDX-License-Identifier: BSD-3-Clause
 * Two ranks that send each other messages by a communication variant of benchmarks/mpi/: what the measurements share.
 * On rank 1 a task reads each message; rank 0 is the other end. */
#ifndef POLLUX_MICRO_MPI_PAIR_H
#define POLLUX_MICRO_MPI_PAIR_H

#include "benchmarks/mpi/exchange.h"
#include "micro/granularity/work.h"
#include "micro/mpi/ranks.h"

/** Messages that are under way at once where their rate is measured, as in the OSU micro-benchmarks. */
enum { PAIR_WINDOW = 64 };

/** The first words of a message: its number, when it was sent, and what tells whether either is damaged. */
enum { PAIR_NUMBER, PAIR_SENT_NS, PAIR_CHECK, PAIR_HEADER };

struct pair_shape {
    const struct method
        *method; /**< NULL: each thread sends and receives for itself, no task does */
    size_t threads, bytes;
    size_t transfer; /**< bytes of the message that tasks are to hide */
    int64_t pause_ns;
};

/** What a repetition shows, the same on both ranks; NaN: not measured. Times are medians in ns. */
struct pair_times {
    double latency;  /**< from the arrival of a message to the start of the task that reads it */
    double one_way;  /**< from before it is sent to that start, by one clock */
    double polled;   /**< from before it is sent until a thread that only receives has it */
    double rate;     /**< messages a second */
    double overlap;  /**< share of a transfer that is hidden, in % */
    double transfer; /**< a transfer alone */
    double work;     /**< the tasks alone */
    double both;
};

struct pair {
    struct pair_shape shape;
    struct exchange exchange;
    struct problem problem;
    struct execution execution;
    size_t slots, slot_words; /**< of `in` and `out` */
    uint64_t *in, *out;
    uint64_t *large_in, *large_out; /**< of the transfer */
    uint64_t number;                /**< messages of this size so far: their contents differ */
    atomic_size_t early;            /**< tasks that did not find the message that they read */
    int64_t began_ns[PAIR_WINDOW];  /**< when the tasks of a window began */
    struct work *work;
    double ns_per_unit; /**< of work */
    struct sent sent;
    struct pair_times times;
    struct result *result;
};

/** Bytes that both directions need. */
size_t pair_bytes(const struct pair_shape *shape);

struct pair *pair_create(const struct pair_shape *shape);
void pair_destroy(struct pair *pair);

/** Measures all once. @param[out] result only its fault is set */
struct pair_times pair_measure(struct pair *pair, struct result *result);

/** The parts of it: the thread that creates the tasks calls them, on both ranks. */
void pair_latency(struct pair *pair, struct pair_times *times);
void pair_rate(struct pair *pair, struct pair_times *times);
void pair_overlap(struct pair *pair, struct pair_times *times);

/** The rate without tasks, of all threads of the team. To be called outside of any region. */
void pair_rate_of_threads(struct pair *pair, struct pair_times *times);

static inline uint64_t *pair_slot(uint64_t *words, const struct pair *pair, size_t slot)
{
    return words + slot * pair->slot_words;
}

/** Numbers that look random, and are the same in every run. */
uint64_t pair_hash(uint64_t number);

/** Writes a message of that number, to be sent now. */
void pair_fill(uint64_t *words, size_t bytes, uint64_t number);

/** Notes a fault where this is not the message of that number. */
void pair_check(struct pair *pair, const uint64_t *words, size_t bytes, uint64_t number);

/** A message to or from the other rank. */
struct message pair_message(void *buffer, size_t bytes, int tag);

/** Starts a message by the variant. */
void pair_receive(struct pair *pair, uint64_t *words, size_t bytes, int tag);
void pair_send(struct pair *pair, uint64_t *words, size_t bytes, int tag);

/** Creates the task that reads a message.
 * @param[out] began_ns when it began */
void pair_read(struct pair *pair, const uint64_t *words, uint64_t number, int64_t *began_ns);

/** Returns when all tasks and messages are complete. */
void pair_finish(struct pair *pair);

/** The time of the slower rank, for both. */
double pair_slower(double ns);

/** The median of values that rank 1 knows, for both. */
double pair_median(double *values, size_t count);

#endif
