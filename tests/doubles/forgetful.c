/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: a runtime that misreads the depend items of tasks, called by libgomp's entry points or
 * by those of libomp.
 *
 *   POLLUX_DOUBLE_TURN=FROM:TO   what is misread as what. FROM: in, inout, mutexinoutset, inoutset,
 *                                all-memory, any, or twice (an address named twice). TO: nothing,
 *                                in, inout, crash (a runtime that ends the process there), or early
 *                                (one that runs such a task when it is created)
 *   POLLUX_DOUBLE_KEEP=N         the first N items of a task are read correctly (0)
 *   POLLUX_DOUBLE_ONLY    see meant.h
 *   POLLUX_DOUBLE_EVERY=N        in every N-th list of items only (1); 0: in none
 *
 * The items are read into one list, changed, and written back in their original form. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meant.h"

#define PUBLIC __attribute__((visibility("default")))

/* Kinds of items by libomp's flags; ANY and TWICE are for FROM alone. */
enum kind {
    NOTHING = 0,
    IN = 1,
    INOUT = 3,
    MUTEXINOUTSET = 4,
    INOUTSET = 8,
    ALL_MEMORY = 0x80,
    ANY = 0x100,
    TWICE = 0x101,
    CRASH = 0x102,
    EARLY = 0x103
};

/* Bit of GOMP_task's flags, from GCC's include/gomp-constants.h, and the kinds of a depend object. */
enum { FLAG_DEPEND = 1 << 3 };
enum { GOMP_IN = 1, GOMP_MUTEXINOUTSET = 4, GOMP_INOUTSET = 5 };

/* kmp_depend_info of libomp's kmp.h. */
struct item {
    void *address;
    size_t bytes;
    uint8_t kind;
};

struct items {
    size_t count;
    struct item *item;
    bool early; /* the task is not to wait for any */
};

static const struct {
    const char *name;
    enum kind kind;
} kinds[] = {{"nothing", NOTHING},   {"in", IN},
             {"inout", INOUT},       {"mutexinoutset", MUTEXINOUTSET},
             {"inoutset", INOUTSET}, {"all-memory", ALL_MEMORY},
             {"any", ANY},           {"twice", TWICE},
             {"crash", CRASH},       {"early", EARLY}};

/* Lists seen so far in this process. */
static atomic_ulong lists;

static bool meant;

/* Before main. */
__attribute__((constructor)) static void find_runtime(void)
{
    meant = runtime_is_meant();
}

static void fail(const char *why)
{
    fprintf(stderr, "forgetful: %s\n", why);
    abort();
}

static void *allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes);
    if (!memory)
        fail("no memory");
    return memory;
}

/* The kind named by the first `length` characters. */
static int kind_named(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, text, length) == 0)
            return (int)kinds[i].kind;
    fail("POLLUX_DOUBLE_TURN=FROM:TO is needed, such as any:nothing");
    return NOTHING;
}

static unsigned long number(const char *name, unsigned long fallback)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : fallback;
}

static bool named_twice(const struct items *items, size_t which)
{
    for (size_t i = 0; i < items->count; i++)
        if (i != which && items->item[i].address == items->item[which].address)
            return true;
    return false;
}

static bool matches(const struct items *items, size_t which, int from)
{
    if (from == TWICE)
        return named_twice(items, which);
    return from == ANY || items->item[which].kind == from;
}

/* Changes a list of its own; items that turn into nothing are removed. */
static void misread(struct items *items)
{
    const char *turn = getenv("POLLUX_DOUBLE_TURN");
    const char *colon = turn ? strchr(turn, ':') : NULL;
    if (!colon)
        fail("POLLUX_DOUBLE_TURN=FROM:TO is needed, such as any:nothing");
    int from = kind_named(turn, (size_t)(colon - turn));
    int to = kind_named(colon + 1, strlen(colon + 1));
    unsigned long every = number("POLLUX_DOUBLE_EVERY", 1);
    if (!meant || every == 0 || (atomic_fetch_add(&lists, 1) + 1) % every != 0)
        return;
    bool *turned = allocate(items->count, sizeof *turned);
    for (size_t i = 0; i < items->count; i++)
        turned[i] = i >= number("POLLUX_DOUBLE_KEEP", 0) && matches(items, i, from);
    for (size_t i = 0; i < items->count; i++) {
        if (turned[i] && to == CRASH)
            fail("unknown kind of item");
        items->early |= turned[i] && to == EARLY;
    }
    size_t left = 0;
    for (size_t i = 0; i < items->count; i++) {
        struct item item = items->item[i];
        if (turned[i] && to != EARLY)
            item.kind = (uint8_t)to;
        if (item.kind != NOTHING)
            items->item[left++] = item;
    }
    items->count = left;
    free(turned);
}

static uint8_t kind_of_object(uintptr_t kind)
{
    switch (kind) {
    case GOMP_IN:
        return IN;
    case GOMP_MUTEXINOUTSET:
        return MUTEXINOUTSET;
    case GOMP_INOUTSET:
        return INOUTSET;
    default:
        return INOUT;
    }
}

/* libgomp's list: {n, written, addresses…}, or {0, n, written, mutexinoutsets, read, addresses…,
 * depend objects…}; a depend object is {address, kind}. */
static struct items read_gomp(void **depend)
{
    bool extended = depend[0] == NULL;
    size_t count = (size_t)(uintptr_t)depend[extended ? 1 : 0];
    size_t written = (size_t)(uintptr_t)depend[extended ? 2 : 1];
    size_t exclusive = extended ? (size_t)(uintptr_t)depend[3] : 0;
    size_t read = extended ? (size_t)(uintptr_t)depend[4] : count - written;
    void **address = depend + (extended ? 5 : 2);
    struct items items = {.count = count, .item = allocate(count, sizeof *items.item)};
    for (size_t i = 0; i < count; i++) {
        struct item *item = &items.item[i];
        *item = (struct item){address[i], 0, INOUT};
        if (i >= written + exclusive + read) {
            void **object = address[i];
            item->address = object[0];
            item->kind = kind_of_object((uintptr_t)object[1]);
        } else if (i >= written + exclusive)
            item->kind = IN;
        else if (i >= written)
            item->kind = MUTEXINOUTSET;
    }
    return items;
}

static size_t put_kind(void **list, size_t at, const struct items *items, enum kind kind)
{
    size_t first = at;
    for (size_t i = 0; i < items->count; i++)
        if (items->item[i].kind == kind)
            list[at++] = items->item[i].address;
    return at - first;
}

static void *number_as_pointer(size_t number)
{
    return (void *)(uintptr_t)number; // NOLINT(performance-no-int-to-ptr)
}

/* Members of inoutsets as depend objects, which stand behind the list, as GCC passes them since version 13. */
static void put_objects(void **list, size_t at, void **objects, const struct items *items)
{
    for (size_t i = 0; i < items->count; i++)
        if (items->item[i].kind == INOUTSET) {
            objects[0] = items->item[i].address;
            objects[1] = number_as_pointer(GOMP_INOUTSET);
            list[at++] = objects;
            objects += 2;
        }
}

/* The extended list, whose memory is the caller's. */
static void **write_gomp(const struct items *items)
{
    void **list = allocate(5 + 3 * items->count, sizeof *list);
    size_t written = put_kind(list, 5, items, INOUT);
    size_t exclusive = put_kind(list, 5 + written, items, MUTEXINOUTSET);
    size_t read = put_kind(list, 5 + written + exclusive, items, IN);
    put_objects(list, 5 + written + exclusive + read, list + 5 + items->count, items);
    const size_t head[] = {0, items->count, written, exclusive, read};
    for (size_t i = 0; i < 5; i++)
        list[i] = number_as_pointer(head[i]);
    return list;
}

/* A list of its own that misreads the one given, or NULL if the task is to wait for nothing. */
static void **misread_gomp(void **depend, bool *early)
{
    struct items items = read_gomp(depend);
    misread(&items);
    void **list = items.count > 0 && !items.early ? write_gomp(&items) : NULL;
    *early = items.early;
    free(items.item);
    return list;
}

static struct items misread_kmp(int32_t count, const struct item *list)
{
    struct items items = {.count = (size_t)count,
                          .item = allocate((size_t)count, sizeof *items.item)};
    if (count > 0)
        memcpy(items.item, list, (size_t)count * sizeof *items.item);
    misread(&items);
    return items;
}

static void *next(const char *name)
{
    void *address = dlsym(RTLD_NEXT, name);
    if (!address)
        fail(name);
    return address;
}

/* The entry points as the runtimes declare them. dlsym returns a data pointer; POSIX makes the
 * conversion well defined, ISO C does not: hence the unions below. */
typedef void gomp_task(void (*)(void *), void *, void (*)(void *, void *), long, long, bool,
                       unsigned, void **, int, void *);
typedef void gomp_taskwait(void **);
typedef int32_t kmp_task(void *, int32_t, void *, int32_t, struct item *, int32_t, struct item *);
typedef void kmp_task_if0(void *, int32_t, void *);
typedef void kmp_wait(void *, int32_t, int32_t, struct item *, int32_t, struct item *);
typedef void kmp_wait_51(void *, int32_t, int32_t, struct item *, int32_t, struct item *, int32_t);

/* Seen by the dynamic linker only.
 * NOLINTBEGIN(misc-use-internal-linkage,bugprone-reserved-identifier) */
PUBLIC gomp_task GOMP_task;
PUBLIC gomp_taskwait GOMP_taskwait_depend;
PUBLIC kmp_task __kmpc_omp_task_with_deps;
PUBLIC kmp_wait __kmpc_omp_wait_deps;
PUBLIC kmp_wait_51 __kmpc_omp_taskwait_deps_51;
/* NOLINTEND(misc-use-internal-linkage,bugprone-reserved-identifier) */

void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long bytes,
               long alignment, bool if_clause, unsigned flags, void **depend, int priority,
               void *detach)
{
    union {
        void *address;
        gomp_task *function;
    } real = {next("GOMP_task")};
    bool early = false;
    void **list = flags & FLAG_DEPEND ? misread_gomp(depend, &early) : NULL;
    if (!list)
        flags &= ~(unsigned)FLAG_DEPEND;
    real.function(body, data, copy, bytes, alignment, if_clause && !early, flags, list, priority,
                  detach);
    free(list);
}

void GOMP_taskwait_depend(void **depend)
{
    union {
        void *address;
        gomp_taskwait *function;
    } real = {next("GOMP_taskwait_depend")};
    bool early = false;
    void **list = misread_gomp(depend, &early);
    if (list)
        real.function(list);
    free(list);
}

/* kmp_task_t of libomp's kmp.h, as far as needed. */
struct kmp_task_head {
    void *shared;
    int32_t (*routine)(int32_t thread, void *task);
};

/* Runs a task undeferred, as the compiler does where an if clause is false. */
static void run_at_once(void *location, int32_t thread, void *task)
{
    union {
        void *address;
        kmp_task_if0 *function;
    } begin = {next("__kmpc_omp_task_begin_if0")},
      complete = {next("__kmpc_omp_task_complete_if0")};
    begin.function(location, thread, task);
    ((struct kmp_task_head *)task)->routine(thread, task);
    complete.function(location, thread, task);
}

int32_t __kmpc_omp_task_with_deps(void *location, int32_t thread, void *task, int32_t count,
                                  struct item *list, int32_t more, struct item *more_list)
{
    union {
        void *address;
        kmp_task *function;
    } real = {next("__kmpc_omp_task_with_deps")};
    struct items items = misread_kmp(count, list);
    int32_t result = 0;
    if (items.early)
        run_at_once(location, thread, task);
    else
        result = real.function(location, thread, task, (int32_t)items.count, items.item, more,
                               more_list);
    free(items.item);
    return result;
}

void __kmpc_omp_wait_deps(void *location, int32_t thread, int32_t count, struct item *list,
                          int32_t more, struct item *more_list)
{
    union {
        void *address;
        kmp_wait *function;
    } real = {next("__kmpc_omp_wait_deps")};
    struct items items = misread_kmp(count, list);
    real.function(location, thread, (int32_t)items.count, items.item, more, more_list);
    free(items.item);
}

void __kmpc_omp_taskwait_deps_51(void *location, int32_t thread, int32_t count, struct item *list,
                                 int32_t more, struct item *more_list, int32_t nowait)
{
    union {
        void *address;
        kmp_wait_51 *function;
    } real = {next("__kmpc_omp_taskwait_deps_51")};
    struct items items = misread_kmp(count, list);
    real.function(location, thread, (int32_t)items.count, items.item, more, more_list, nowait);
    free(items.item);
}
