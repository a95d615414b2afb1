/* SPDX-License-Identifier: BSD-3-Clause
 * The costs of costly.c in a program compiled by clang: its calls of libomp's entry points, as kmp.h of LLVM's libomp
 * declares them. Bodies of tied tasks are called by way of run_body, which finds the task's own behind its arguments. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "costly.h"

#define PUBLIC __attribute__((visibility("default")))

enum { FLAG_TIED = 1 };

struct kmp_task;
typedef int32_t body_function(int32_t thread, struct kmp_task *task);

/* The beginning of kmp_task_t. The part is that of an untied task, which resumes there. */
struct kmp_task {
    void *shared;
    body_function *body;
    int32_t part;
};

/* Behind the task's own memory; `part` of a tied task is where. */
struct tail {
    body_function *body;
    const char *creator;
};

typedef struct kmp_task *alloc_function(void *place, int32_t thread, int32_t flags, size_t bytes,
                                        size_t shared_bytes, body_function *body);
typedef int32_t task_function(void *place, int32_t thread, struct kmp_task *task);
typedef int32_t depend_function(void *place, int32_t thread, struct kmp_task *task, int32_t count,
                                void *items, int32_t more, void *more_items);

/* Seen by the dynamic linker only. NOLINTBEGIN(misc-use-internal-linkage,bugprone-reserved-identifier) */
PUBLIC alloc_function __kmpc_omp_task_alloc;
PUBLIC task_function __kmpc_omp_task;
PUBLIC depend_function __kmpc_omp_task_with_deps;

/* The runtime's own; looked up before main, when there is one thread. */
static alloc_function *next_alloc;
static task_function *next_task;
static depend_function *next_depend;

/* Its address stands for the thread. */
static _Thread_local char own_thread;

/* dlsym returns data pointers; POSIX makes the conversion well defined, ISO C does not. */
__attribute__((constructor)) static void find_runtime(void)
{
    union {
        void *address;
        alloc_function *function;
    } alloc = {dlsym(RTLD_NEXT, "__kmpc_omp_task_alloc")};
    union {
        void *address;
        task_function *function;
    } task = {dlsym(RTLD_NEXT, "__kmpc_omp_task")};
    union {
        void *address;
        depend_function *function;
    } depend = {dlsym(RTLD_NEXT, "__kmpc_omp_task_with_deps")};
    next_alloc = alloc.function;
    next_task = task.function;
    next_depend = depend.function;
}

static int32_t run_body(int32_t thread, struct kmp_task *task)
{
    const struct tail *tail = (const struct tail *)((char *)task + task->part);
    int32_t result;
    task->part = 0;
    add_wake_up(tail->creator != &own_thread);
    result = tail->body(thread, task);
    add_release();
    return result;
}

static size_t rounded_up(size_t bytes)
{
    return (bytes + _Alignof(struct tail) - 1) / _Alignof(struct tail) * _Alignof(struct tail);
}

struct kmp_task *__kmpc_omp_task_alloc(void *place, int32_t thread, int32_t flags, size_t bytes,
                                       size_t shared_bytes, body_function *body)
{
    size_t own = rounded_up(bytes);
    struct kmp_task *task;
    if (!(flags & FLAG_TIED))
        return next_alloc(place, thread, flags, bytes, shared_bytes, body);
    task = next_alloc(place, thread, flags, own + sizeof(struct tail), shared_bytes, run_body);
    *(struct tail *)((char *)task + own) = (struct tail){body, &own_thread};
    task->part = (int32_t)own;
    return task;
}

int32_t __kmpc_omp_task(void *place, int32_t thread, struct kmp_task *task)
{
    add_creation();
    return next_task(place, thread, task);
}

int32_t __kmpc_omp_task_with_deps(void *place, int32_t thread, struct kmp_task *task, int32_t count,
                                  void *items, int32_t more, void *more_items)
{
    add_creation();
    add_items((size_t)count + (size_t)more);
    return next_depend(place, thread, task, count, items, more, more_items);
}
/* NOLINTEND(misc-use-internal-linkage,bugprone-reserved-identifier) */
