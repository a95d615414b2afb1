/* SPDX-License-Identifier: BSD-3-Clause
 * `detach`: a send or a receive is a task that starts the message and returns; it is complete when its event is
 * fulfilled. Whoever comes by tests the messages and fulfils the events: each thread at the end of a kernel, the creating
 * thread when it has created the tasks, and a thread of the operating system, which is no thread of the runtime, where all
 * others are busy for long or sleep. No task and no thread of the team ever waits for a message. */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "benchmarks/mpi/flight.h"
#include "benchmarks/mpi/runtime.h"
#include "common/base/clock.h"
#include "common/base/sizes.h"

/* Between two tests by the thread of the operating system, which sleeps: while a thread of the team is idle, the shorter one
 * after a message has finished, and twice as long after each test in vain, up to the longer one; while all compute, or have
 * tested themselves, the longest, since each time that it wakes up takes 20 us from one of them on virtual machines. */
static const long LEAST_PAUSE_NS = 10000, MOST_PAUSE_NS = 160000, BUSY_PAUSE_NS = 1000000,
                  SECOND_NS = 1000000000;

/* How long the creating thread tests and yields in vain before it sleeps between tests, and before it leaves all to the
 * others: a runtime that runs no tasks where it yields needs that. */
static const int64_t SPIN_NS = 2000000, SERVICE_NS = 200000000;

enum { BLOCK = 16 }; /* events that a thread fulfils before it looks for more */

/* The lock keeps all threads but one out of MPI (MPI_THREAD_SERIALIZED). */
struct engine {
    struct exchange *x;
    struct flight *flight;
    size_t finished, taken; /* messages that the last test found, and those of them whose events a thread has taken */
    pthread_t thread;
    pthread_mutex_t lock;
    sem_t over;
    atomic_size_t ended; /* kernels */
    atomic_size_t tests; /* by threads of the team */
    struct attendant attendant;
    bool waits; /* of the creating thread: the messages that it starts now, it waits for */
    atomic_uintptr_t awaited; /* the event that it waits for, until it is fulfilled */
    omp_event_handle_t last; /* of the task that is complete last */
};

/* Up to a block of events to fulfil. The caller has the lock. */
static size_t take_events(struct engine *e, uintptr_t *events)
{
    if (e->taken == e->finished) {
        e->finished = flight_test(e->flight);
        e->taken = 0;
    }
    size_t count = smaller(e->finished - e->taken, BLOCK);
    for (size_t i = 0; i < count; i++)
        events[i] = e->flight->finished[e->taken++];
    return count;
}

static void fulfill(struct engine *e, uintptr_t event)
{
    omp_fulfill_event((omp_event_handle_t)event);
    atomic_compare_exchange_strong(&e->awaited, &event, 0);
}

/* To fulfil an event may run tasks, which start messages: the lock is free meanwhile. Where another thread tests, there is
 * nothing to do. @return how many were fulfilled */
static size_t advance(struct engine *e)
{
    uintptr_t events[BLOCK];
    size_t count = BLOCK, all = 0;
    while (count == BLOCK && pthread_mutex_trylock(&e->lock) == 0) {
        count = take_events(e, events);
        pthread_mutex_unlock(&e->lock);
        for (size_t i = 0; i < count; i++)
            fulfill(e, events[i]);
        all += count;
    }
    return all;
}

/* By a thread of the team. @return how many events were fulfilled */
static size_t test(struct engine *e)
{
    atomic_fetch_add_explicit(&e->tests, 1, memory_order_relaxed);
    return advance(e);
}

/* At the end of a kernel, which may have been run by an event that this thread fulfils: then it goes on there. */
static void attend(void *context)
{
    static _Thread_local bool attending;
    struct engine *e = context;
    atomic_fetch_add_explicit(&e->ended, 1, memory_order_relaxed);
    if (attending)
        return;
    attending = true;
    test(e);
    attending = false;
}

/* Kernels that threads have begun; the counts are read while they are written. */
static size_t kernels_begun(const struct engine *e)
{
    const struct execution *execution = e->x->problem->execution;
    size_t begun = 0;
    for (size_t t = 0; t < execution->threads; t++)
        begun += __atomic_load_n(&execution->workers[t].kernel_count, __ATOMIC_RELAXED);
    return begun;
}

static bool all_compute(struct engine *e)
{
    size_t ended = atomic_load_explicit(&e->ended, memory_order_relaxed);
    return kernels_begun(e) >= ended + e->x->problem->threads;
}

/* Whether a thread of the team has tested since the last call. */
static bool team_tests(struct engine *e, size_t *known)
{
    size_t before = *known;
    *known = atomic_load_explicit(&e->tests, memory_order_relaxed);
    return *known != before;
}

/* @return whether all is over, which ends the pause */
static bool is_over_within(struct engine *e, long ns)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    ns += until.tv_nsec;
    until.tv_sec += ns / SECOND_NS;
    until.tv_nsec = ns % SECOND_NS;
    return sem_timedwait(&e->over, &until) == 0;
}

static void *progress(void *argument)
{
    struct engine *e = argument;
    long pause_ns = LEAST_PAUSE_NS;
    size_t tests = 0;
    prctl(PR_SET_TIMERSLACK, LEAST_PAUSE_NS);
    for (;;) {
        bool tested = team_tests(e, &tests), found = !tested && advance(e) > 0;
        if (found)
            pause_ns = LEAST_PAUSE_NS;
        else if (is_over_within(e, tested || all_compute(e) ? BUSY_PAUSE_NS : pause_ns))
            return NULL;
        else if (pause_ns < MOST_PAUSE_NS)
            pause_ns *= 2;
    }
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
    e->last = event; /* known before the task runs */
}

static void begin(struct exchange *x)
{
    struct engine *e = calloc(1, sizeof *e);
    if (!e)
        world_fail(POLLUX_MACHINE, "no memory");
    e->x = x;
    e->flight = flight_create(x);
    e->attendant = (struct attendant){attend, e};
    x->own = e;
    x->problem->execution->attendant = &e->attendant;
    pthread_mutex_init(&e->lock, NULL);
    sem_init(&e->over, 0, 0);
    if (pthread_create(&e->thread, NULL, progress, e) != 0)
        world_fail(POLLUX_MACHINE, "cannot start a thread");
    make_queue();
    create_last(e);
    e->waits = !runtime_is_libomp();
}

static void rest(int64_t idle_ns)
{
    const struct timespec pause = {0, LEAST_PAUSE_NS};
    if (idle_ns < SPIN_NS)
        sched_yield();
    else
        nanosleep(&pause, NULL);
}

static void wait_for(struct engine *e, uintptr_t event)
{
    int64_t since = now_ns(CLOCK_MONOTONIC);
    while (atomic_load(&e->awaited) == event)
        if (test(e) == 0)
            rest(now_ns(CLOCK_MONOTONIC) - since);
}

/* libgomp's creating thread runs tasks on its way where more than 64 for each thread are not complete, and takes those for
 * complete that have only ended: it waits here until they are. The other threads compute meanwhile. */
static void start(struct engine *e, struct message message, bool sends, omp_event_handle_t event)
{
    bool waits = omp_get_thread_num() == 0 && e->waits;
    if (waits)
        atomic_store(&e->awaited, (uintptr_t)event);
    pthread_mutex_lock(&e->lock);
    flight_start(e->flight, &message, sends, (uintptr_t)event);
    pthread_mutex_unlock(&e->lock);
    if (waits)
        wait_for(e, (uintptr_t)event);
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

static bool messages_are_over(struct exchange *x)
{
    return atomic_load(&x->received) == atomic_load(&x->to_receive) &&
           atomic_load(&x->sent) == atomic_load(&x->to_send);
}

/* Runs tasks and tests messages in turns, until all of these are over. */
static void serve(struct engine *e)
{
    int64_t since = now_ns(CLOCK_MONOTONIC), idle_ns = 0;
    size_t begun = kernels_begun(e);
    while (!messages_are_over(e->x) && idle_ns < SERVICE_NS) {
        size_t finished = test(e), before = begun;
#pragma omp taskyield
        begun = kernels_begun(e);
        int64_t now = now_ns(CLOCK_MONOTONIC);
        if (finished > 0 || begun != before)
            since = now;
        else
            rest(now - since);
        idle_ns = now - since;
    }
}

static void wait_for_all(struct engine *e)
{
    e->waits = false;
    if (runtime_is_libomp())
        serve(e);
    omp_fulfill_event(e->last);
#pragma omp taskwait
}

static void pass(struct exchange *x)
{
    struct engine *e = x->own;
    wait_for_all(e);
    create_last(e);
    e->waits = !runtime_is_libomp();
}

static void end(struct exchange *x)
{
    struct engine *e = x->own;
    wait_for_all(e);
    x->problem->execution->attendant = NULL;
    sem_post(&e->over);
    pthread_join(e->thread, NULL);
    sem_destroy(&e->over);
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
