/* SPDX-License-Identifier: BSD-3-Clause
 * GOMP_task of libgomp, as declared in its libgomp_g.h since GCC 11, before the runtime's own.
 *
 * The arguments passed on are a header, then the task's own arguments at a multiple of their
 * alignment. They are written by a copy function in every case: so the runtime copies them at once
 * also where it runs the task undeferred. */
#include "task.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bits of `flags`, from GCC's include/gomp-constants.h. */
enum { FLAG_DEPEND = 1 << 3, FLAG_DETACH = 1 << 13 };

typedef void body_function(void *arguments);
typedef void copy_function(void *to, void *from);
typedef void gomp_task_function(body_function *body, void *data, copy_function *copy, long bytes,
                                long alignment, bool if_clause, unsigned flags, void **depend,
                                int priority, void *detach);

struct header {
    body_function *body;
    struct written written;
    const char *creator; /* `thread` of the thread that created it */
    size_t offset;       /* of the task's own arguments, from the header */
};

/* The argument of the copy function. */
struct source {
    struct header header;
    void *data;
    copy_function *copy;
    size_t bytes;
};

/* Seen by the dynamic linker only. NOLINTBEGIN(misc-use-internal-linkage) */
__attribute__((visibility("default"))) gomp_task_function GOMP_task;
/* NOLINTEND(misc-use-internal-linkage) */

/* Tasks begun in this process. */
static atomic_long begun;

/* Its address stands for the thread. */
static _Thread_local char thread;

void run_body(const struct task *task)
{
    task->body(task->arguments);
}

double variable_number(const char *name, double fallback)
{
    const char *text = getenv(name);
    char *end = NULL;
    double number = text ? strtod(text, &end) : fallback;
    if (text && (end == text || *end != '\0')) {
        fprintf(stderr, "%s=%s: a number is needed\n", name, text);
        abort();
    }
    return number;
}

static void run(void *memory)
{
    struct header *header = memory;
    struct task task = {.body = header->body,
                        .arguments = (char *)memory + header->offset,
                        .written = header->written,
                        .number = atomic_fetch_add(&begun, 1) + 1,
                        .at_home = header->creator == &thread};
    run_task(&task);
}

static void copy_with_header(void *to, void *from)
{
    struct source *source = from;
    void *arguments = (char *)to + source->header.offset;
    memcpy(to, &source->header, sizeof source->header);
    if (source->copy)
        source->copy(arguments, source->data);
    else
        memcpy(arguments, source->data, source->bytes);
}

/* The list is {n, outs, addresses…}, those written first, or {0, n, outs, mutexinoutsets, ins,
 * addresses…, depend objects…}. */
static struct written find_written(void **depend)
{
    bool extended = depend[0] == NULL;
    size_t count = (size_t)(uintptr_t)depend[extended ? 2 : 1];
    if (extended)
        count += (size_t)(uintptr_t)depend[3];
    void **addresses = depend + (extended ? 5 : 2);
    return count > 0 ? (struct written){addresses[0], addresses[count - 1]} : (struct written){0};
}

static size_t count_items(void **depend)
{
    return (size_t)(uintptr_t)depend[depend[0] == NULL ? 1 : 0];
}

/* The runtime's own, looked up once. */
static _Atomic(gomp_task_function *) runtime_task;

static gomp_task_function *next_task(void)
{
    gomp_task_function *known = atomic_load_explicit(&runtime_task, memory_order_relaxed);
    if (known)
        return known;
    /* dlsym returns a data pointer; POSIX makes the conversion well defined, ISO C does not. */
    union {
        void *address;
        gomp_task_function *function;
    } next = {.address = dlsym(RTLD_NEXT, "GOMP_task")};
    atomic_store_explicit(&runtime_task, next.function, memory_order_relaxed);
    return next.function;
}

static size_t rounded_up(size_t bytes, size_t multiple)
{
    return (bytes + multiple - 1) / multiple * multiple;
}

void GOMP_task(body_function *body, void *data, copy_function *copy, long bytes, long alignment,
               bool if_clause, unsigned flags, void **depend, int priority, void *detach)
{
    gomp_task_function *next = next_task();
    if (!next)
        abort();
    if (before_creation)
        before_creation(flags & FLAG_DEPEND ? count_items(depend) : 0);
    if (flags & FLAG_DETACH) { /* the runtime writes an event into the task's own arguments */
        next(body, data, copy, bytes, alignment, if_clause, flags, depend, priority, detach);
        return;
    }
    size_t own = alignment > 0 ? (size_t)alignment : 1;
    size_t strictest = own > _Alignof(struct header) ? own : _Alignof(struct header);
    struct source source = {
        .header = {.body = body,
                   .creator = &thread,
                   .written = flags & FLAG_DEPEND ? find_written(depend) : (struct written){0},
                   .offset = rounded_up(sizeof(struct header), own)},
        .data = data,
        .copy = copy,
        .bytes = (size_t)bytes};
    next(run, &source, copy_with_header, (long)(source.header.offset + source.bytes),
         (long)strictest, if_clause, flags, depend, priority, detach);
}
