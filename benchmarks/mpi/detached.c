/* SPDX-License-Identifier: BSD-3-Clause
 * Whoever comes by tests the messages and fulfils the events: each thread at the end of a kernel, the creating thread when it
 * has created the tasks, and a thread of the operating system, which is no thread of the runtime, where all others are busy
 * for long or sleep. No task and no thread of the team ever waits for a message. */
#include "benchmarks/mpi/detached.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "benchmarks/mpi/pause.h"
#include "benchmarks/mpi/runtime.h"
#include "common/base/clock.h"
#include "common/machine/affinity.h"

/* Between two tests by the thread of the operating system, which sleeps: while a thread of the team is idle, the shorter one
 * after a message has finished, and twice as long after each test in vain, up to the longer one; while all compute, or have
 * tested themselves, the longest, since each time that it wakes up takes 20 us from one of them on virtual machines. */
static const long LEAST_PAUSE_NS = 10000, MOST_PAUSE_NS = 160000, BUSY_PAUSE_NS = 1000000;

/* How long the creating thread tests and yields in vain before it sleeps between tests, and before it leaves all to the
 * others: a runtime that runs no tasks where it yields needs that. */
static const int64_t SPIN_NS = 2000000, SERVICE_NS = 200000000;

struct engine {
    struct exchange *x;
    const struct carrier *carrier;
    void *own; /* the carrier's */
    pthread_t thread;
    struct pause pause;      /* of that thread; over at the end of the run */
    atomic_size_t tests;     /* by threads of the team */
    atomic_size_t fulfilled; /* events; a thread that has counted one does not come back to this */
    struct attendant attendant;
    bool waits; /* of the creating thread: the messages that it starts now, it waits for */
    atomic_uintptr_t awaited; /* the event that it waits for, until it is fulfilled */
    omp_event_handle_t last;  /* of the task that is complete last */
};

/* Another task may get the event's address as soon as it is fulfilled, so it is compared before; while the creating thread
 * waits, it stores no other. */
void detached_fulfill(struct exchange *x, uintptr_t event)
{
    struct engine *e = x->own;
    bool awaited = atomic_load(&e->awaited) == event;
    omp_fulfill_event((omp_event_handle_t)event);
    if (awaited)
        atomic_store(&e->awaited, 0);
    atomic_fetch_add(&e->fulfilled, 1);
}

/* @return how many events were fulfilled, here or meanwhile by others */
static size_t advance(struct engine *e)
{
    size_t before = atomic_load(&e->fulfilled);
    e->carrier->test(e->own);
    return atomic_load(&e->fulfilled) - before;
}

/* By a thread of the team. The events that it fulfils may run kernels, at whose end it goes on here. */
static size_t test(struct engine *e)
{
    static _Thread_local bool testing;
    if (testing)
        return 0;
    testing = true;
    atomic_fetch_add_explicit(&e->tests, 1, memory_order_relaxed);
    size_t count = advance(e);
    testing = false;
    return count;
}

/* At the end of a kernel. */
static void attend(void *context)
{
    test(context);
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

static bool all_compute(const struct engine *e)
{
    return exchange_computing(e->x) == e->x->problem->threads;
}

/* Whether a thread of the team has tested since the last call. */
static bool team_tests(struct engine *e, size_t *known)
{
    size_t before = *known;
    *known = atomic_load_explicit(&e->tests, memory_order_relaxed);
    return *known != before;
}

static void *progress(void *argument)
{
    struct engine *e = argument;
    long pause_ns = LEAST_PAUSE_NS;
    size_t tests = 0;
    affinity_restore(); /* it is not bound like the thread that creates it */
    prctl(PR_SET_TIMERSLACK, LEAST_PAUSE_NS);
    for (;;) {
        bool tested = team_tests(e, &tests), found = !tested && advance(e) > 0;
        if (found)
            pause_ns = LEAST_PAUSE_NS;
        else if (pause_is_over_within(&e->pause,
                                      tested || all_compute(e) ? BUSY_PAUSE_NS : pause_ns))
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

void detached_create(struct exchange *x, const struct carrier *carrier, void *own)
{
    struct engine *e = calloc(1, sizeof *e);
    if (!e)
        world_fail(POLLUX_MACHINE, "no memory");
    e->x = x;
    e->carrier = carrier;
    e->own = own;
    e->attendant = (struct attendant){attend, e};
    x->own = e;
    pause_create(&e->pause);
    if (pthread_create(&e->thread, NULL, progress, e) != 0)
        world_fail(POLLUX_MACHINE, "cannot start a thread");
}

void detached_begin(struct exchange *x)
{
    struct engine *e = x->own;
    x->problem->execution->attendant = &e->attendant;
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
    e->carrier->start(e->own, &message, sends, (uintptr_t)event);
    if (waits)
        wait_for(e, (uintptr_t)event);
}

void detached_receive(struct exchange *x, struct message message)
{
    struct engine *e = x->own;
    char *named = message.buffer;
    omp_event_handle_t event;
    memset(&event, 0, sizeof event); /* the task gets one of its own */
#pragma omp task firstprivate(e, message) detach(event) depend(inout : named[0]) \
    priority(PRIORITY_PANEL)
    start(e, message, false, event);
}

void detached_send(struct exchange *x, struct message message)
{
    struct engine *e = x->own;
    char *named = message.buffer;
    omp_event_handle_t event;
    memset(&event, 0, sizeof event); /* the task gets one of its own */
#pragma omp task firstprivate(e, message) detach(event) depend(in : named[0]) \
    priority(PRIORITY_PANEL)
    start(e, message, true, event);
}

void detached_complete(struct exchange *x)
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

void detached_pass(struct exchange *x)
{
    struct engine *e = x->own;
    wait_for_all(e);
    create_last(e);
    e->waits = !runtime_is_libomp();
}

/* A thread that is neither of the team nor the engine's may have fulfilled the last event just now. */
static void wait_for_others(struct engine *e)
{
    while (atomic_load(&e->fulfilled) < atomic_load(&e->x->sent) + atomic_load(&e->x->received))
        sched_yield();
}

void detached_end(struct exchange *x)
{
    struct engine *e = x->own;
    wait_for_all(e);
    x->problem->execution->attendant = NULL;
}

void detached_destroy(struct exchange *x)
{
    struct engine *e = x->own;
    pause_end(&e->pause);
    pthread_join(e->thread, NULL);
    wait_for_others(e);
    pause_destroy(&e->pause);
    e->carrier->destroy(e->own);
    free(e);
}
