/* SPDX-License-Identifier: BSD-3-Clause
 * An OMPT tool (OpenMP 5.2, chapter 19) that knows the tasks of the program it is loaded into.
 *
 * The runtime calls ompt_start_tool, then `initialize`, which requests four callbacks. While there is
 * no listener and nothing is recorded, they return at once. Otherwise each new task is recorded in
 * memory of its creating thread, and the word that OMPT reserves for a tool in every task points to it.
 *
 * Callbacks have no argument for a tool's own data, so there is one static object. All that a
 * recording shares among threads is the count of tasks, one relaxed addition per creation: in a task
 * graph that one thread submits, its cache line stays with that thread. */
#include "common/ompt/tool.h"

#include <omp-tools.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/ompt/arena.h"

enum { VERSION_LENGTH = 256 };

/* Dependences in the form in which a listener takes them; for one thread. */
struct dependences {
    const void **address;
    int *kind;
    size_t room;
};

static struct {
    /* Read at each callback. */
    alignas(CACHE_LINE) _Atomic(const struct ompt_listener *) listener;
    atomic_bool recording;
    ompt_get_task_info_t task_info;
    atomic_uint life; /* of the arenas: counts the ends of the tool */

    /* Written at each creation. */
    alignas(CACHE_LINE) atomic_uint_least64_t created;

    alignas(CACHE_LINE) atomic_uint_least64_t lost;
    atomic_bool initialized;
    struct arenas arenas;
    struct dependences dependences;
    char runtime[VERSION_LENGTH];
} tool;

/* The calling thread's arena. It is invalid once the tool has ended. */
static _Thread_local struct {
    struct arena *arena;
    unsigned life;
} own;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct arena *own_arena(void)
{
    const unsigned life = atomic_load_explicit(&tool.life, memory_order_relaxed);
    if (!own.arena || own.life != life) {
        own.arena = arenas_add(&tool.arenas);
        own.life = life;
    }
    return own.arena;
}

static void lose(void)
{
    atomic_fetch_add_explicit(&tool.lost, 1, memory_order_relaxed);
}

/* What is recorded of a task; NULL for implicit tasks and those created while the tool was off. */
static struct noted_task *noted(const ompt_data_t *task)
{
    return task ? task->ptr : NULL;
}

static uint64_t number_of(const ompt_data_t *task)
{
    const struct noted_task *known = noted(task);
    return known ? known->task.number : 0;
}

static int thread_number(void)
{
    int number = -1;
    tool.task_info(0, NULL, NULL, NULL, NULL, &number);
    return number;
}

static struct noted_task *note_creation(void)
{
    struct arena *arena = own_arena();
    struct noted_task *new = arena ? arena_take(arena) : NULL;
    if (!new) {
        lose();
        return NULL;
    }
    new->task = (struct ompt_task){
        .number = atomic_fetch_add_explicit(&tool.created, 1, memory_order_relaxed) + 1,
        .creator = thread_number(),
        .created_ns = now_ns(),
    };
    return new;
}

static void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task,
                           int flags, int has_dependences, const void *return_address)
{
    (void)frame, (void)has_dependences, (void)return_address;
    const struct ompt_listener *listener =
        atomic_load_explicit(&tool.listener, memory_order_acquire);
    if (!listener && !atomic_load_explicit(&tool.recording, memory_order_acquire))
        return;
    const unsigned not_created = ompt_task_initial | ompt_task_implicit | ompt_task_target;
    if ((unsigned)flags & not_created)
        return;
    struct noted_task *new = note_creation();
    task->ptr = new;
    if (listener && new)
        listener->created(listener->context, new->task.number, number_of(parent));
}

/* Makes room for `count` dependences; whether there is memory. */
static bool make_room(struct dependences *all, size_t count)
{
    if (count <= all->room)
        return true;
    const void **address = realloc(all->address, count * sizeof *address);
    if (address)
        all->address = address;
    int *kind = realloc(all->kind, count * sizeof *kind);
    if (kind)
        all->kind = kind;
    if (!address || !kind)
        return false;
    all->room = count;
    return true;
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *given, int given_count)
{
    const struct ompt_listener *listener =
        atomic_load_explicit(&tool.listener, memory_order_acquire);
    const uint64_t number = listener ? number_of(task) : 0;
    if (!number || given_count < 1) /* an ordered loop has dependences, too: its task is implicit */
        return;
    struct dependences *all = &tool.dependences;
    const size_t count = (size_t)given_count;
    if (!make_room(all, count)) {
        lose();
        return;
    }
    for (size_t i = 0; i < count; i++) {
        all->address[i] = given[i].variable.ptr;
        all->kind[i] = (int)given[i].dependence_type;
    }
    listener->depends(listener->context, number, all->address, all->kind, count);
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    (void)prior, (void)status;
    if (!atomic_load_explicit(&tool.recording, memory_order_acquire))
        return;
    struct noted_task *known = noted(next);
    if (known && !known->task.scheduled_ns)
        known->task.scheduled_ns = now_ns();
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                           ompt_data_t *parallel, ompt_data_t *task, const void *return_address)
{
    (void)parallel, (void)return_address;
    const struct ompt_listener *listener =
        atomic_load_explicit(&tool.listener, memory_order_acquire);
    if (listener && kind == ompt_sync_region_taskwait && endpoint != ompt_scope_end)
        listener->waits(listener->context, number_of(task));
}

/* The other functions: what a program calls. */

static const char *runtime(void)
{
    return tool.runtime;
}

static void forget(void)
{
    arenas_rewind(&tool.arenas);
    atomic_store(&tool.created, 0);
    atomic_store(&tool.lost, 0);
}

static void listen(const struct ompt_listener *listener)
{
    if (listener)
        forget();
    atomic_store_explicit(&tool.listener, listener, memory_order_release);
}

static void record(int on)
{
    if (on)
        forget();
    atomic_store_explicit(&tool.recording, on != 0, memory_order_release);
}

static struct ompt_task current(void)
{
    int flags = 0;
    ompt_data_t *task = NULL;
    tool.task_info(0, &flags, &task, NULL, NULL, NULL);
    const struct noted_task *known = (unsigned)flags & ompt_task_explicit ? noted(task) : NULL;
    return known ? known->task : (struct ompt_task){.creator = -1};
}

static uint64_t lost(void)
{
    return atomic_load(&tool.lost);
}

static struct ompt_tool functions = {
    .version = OMPT_TOOL_VERSION,
    .runtime = runtime,
    .listen = listen,
    .record = record,
    .current = current,
    .lost = lost,
};

/* The part that the runtime calls. */

static const struct {
    ompt_callbacks_t event;
    ompt_callback_t callback;
    const char *name;
} callbacks[] = {
    {ompt_callback_task_create, (ompt_callback_t)on_task_create, "ompt_callback_task_create"},
    {ompt_callback_dependences, (ompt_callback_t)on_dependences, "ompt_callback_dependences"},
    {ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule, "ompt_callback_task_schedule"},
    {ompt_callback_sync_region, (ompt_callback_t)on_sync_region, "ompt_callback_sync_region"},
};

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    tool.task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    if (!set || !tool.task_info)
        return 0;
    functions.lacks = NULL;
    for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
        if (set(callbacks[i].event, callbacks[i].callback) < ompt_set_sometimes && !functions.lacks)
            functions.lacks = callbacks[i].name;
    atomic_store(&tool.initialized, true);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    atomic_store(&tool.initialized, false);
    atomic_store(&tool.listener, NULL);
    atomic_store(&tool.recording, false);
    atomic_fetch_add(&tool.life, 1);
    arenas_destroy(&tool.arenas);
    free(tool.dependences.address);
    free(tool.dependences.kind);
    tool.dependences = (struct dependences){0};
}

#define EXPORTED __attribute__((visibility("default")))

// Headers of older compilers do not declare it.
EXPORTED ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version,
                                                   const char *runtime_version);

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
    (void)omp_version;
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    strncpy(tool.runtime, runtime_version ? runtime_version : "", sizeof tool.runtime - 1);
    return &result;
}

EXPORTED const struct ompt_tool *pollux_ompt(void)
{
    return atomic_load(&tool.initialized) ? &functions : NULL;
}
