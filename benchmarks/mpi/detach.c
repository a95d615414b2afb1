/* SPDX-License-Identifier: BSD-3-Clause
 * `detach`: a send or a receive is a task that starts the message and returns; it is complete when its event is
 * fulfilled. A thread of the operating system, which is no thread of the runtime, tests the messages and fulfils the
 * events. No task and no thread of the team ever waits for a message. */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "benchmarks/mpi/flight.h"

/* Between two tests: the shorter one after a message has finished, twice as long after each test in vain, up to the longer
 * one. To wake up takes a processor 20 us on virtual machines, so a thread that always slept 10 us took half of one from
 * those that compute. It sleeps, and does not yield: a thread that yields comes after all that spin. */
static const long LEAST_PAUSE_NS = 10000, MOST_PAUSE_NS = 160000;

/* The lock keeps all threads but one out of MPI (MPI_THREAD_SERIALIZED). */
struct engine {
    struct flight *flight;
    pthread_t thread;
    pthread_mutex_t lock;
    atomic_bool over;
    omp_event_handle_t last; /* of the task that is complete last */
};

static size_t test_messages(struct engine *e)
{
    pthread_mutex_lock(&e->lock);
    size_t finished = flight_test(e->flight);
    pthread_mutex_unlock(&e->lock);
    return finished;
}

static void *progress(void *argument)
{
    struct engine *e = argument;
    struct timespec pause = {0, LEAST_PAUSE_NS};
    prctl(PR_SET_TIMERSLACK, LEAST_PAUSE_NS);
    while (!atomic_load(&e->over)) {
        size_t finished = test_messages(e);
        for (size_t i = 0; i < finished; i++)
            omp_fulfill_event((omp_event_handle_t)e->flight->finished[i]);
        if (finished > 0) {
            pause.tv_nsec = LEAST_PAUSE_NS;
            continue;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < MOST_PAUSE_NS)
            pause.tv_nsec *= 2;
    }
    return NULL;
}

/* libomp puts a task whose event is fulfilled into a queue of the team, and tries forever while there is none. Tasks with
 * a priority make no queue: where all tasks of a rank have one, this is the only one that does. */
static void make_queue(void)
{
#pragma omp task
    atomic_thread_fence(memory_order_relaxed);
}

/* In a team of one thread libomp counts a task only while others are counted, and asks that at its creation and again at
 * its end. Between the two the last message may have finished, or the next one begun: then its count goes wrong, and a
 * wait ends too early, or the process by an assertion. While this task is not complete, all others are counted. */
static void create_last(struct engine *e)
{
    omp_event_handle_t event;
    memset(&event, 0, sizeof event);
#pragma omp task detach(event)
    atomic_thread_fence(memory_order_relaxed);
    e->last = event;
}

static void begin(struct exchange *x)
{
    struct engine *e = calloc(1, sizeof *e);
    if (!e)
        world_fail(POLLUX_MACHINE, "no memory");
    e->flight = flight_create(x);
    x->own = e;
    pthread_mutex_init(&e->lock, NULL);
    if (pthread_create(&e->thread, NULL, progress, e) != 0)
        world_fail(POLLUX_MACHINE, "cannot start a thread");
    make_queue();
    create_last(e);
}

static void start(struct engine *e, struct message message, bool sends, omp_event_handle_t event)
{
    pthread_mutex_lock(&e->lock);
    flight_start(e->flight, &message, sends, (uintptr_t)event);
    pthread_mutex_unlock(&e->lock);
}

static void receive(struct exchange *x, struct message message)
{
    struct engine *e = x->own;
    char *named = message.buffer;
    omp_event_handle_t event;
    memset(&event, 0, sizeof event); /* the task gets one of its own */
#pragma omp task firstprivate(e, message) \
    detach(event) \
    depend(inout : named[0]) \
    priority(PRIORITY_PANEL)
    start(e, message, false, event);
}

static void send(struct exchange *x, struct message message)
{
    struct engine *e = x->own;
    char *named = message.buffer;
    omp_event_handle_t event;
    memset(&event, 0, sizeof event); /* the task gets one of its own */
#pragma omp task firstprivate(e, message) \
    detach(event) \
    depend(in : named[0]) \
    priority(PRIORITY_PANEL)
    start(e, message, true, event);
}

static void complete(struct exchange *x)
{
    (void)x; /* the tasks' dependences are enough */
}

static void wait_for_all(struct engine *e)
{
    omp_fulfill_event(e->last);
#pragma omp taskwait
}

static void pass(struct exchange *x)
{
    wait_for_all(x->own);
    create_last(x->own);
}

static void end(struct exchange *x)
{
    struct engine *e = x->own;
    wait_for_all(e);
    atomic_store(&e->over, true);
    pthread_join(e->thread, NULL);
    pthread_mutex_destroy(&e->lock);
    flight_destroy(e->flight);
    free(e);
}

const struct method exchange_detach = {.name = "detach",
                                       .level = MPI_THREAD_SERIALIZED,
                                       .detached = true,
                                       .begin = begin,
                                       .receive = receive,
                                       .send = send,
                                       .complete = complete,
                                       .pass = pass,
                                       .end = end};
