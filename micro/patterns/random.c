/* SPDX-License-Identifier: BSD-3-Clause
 * A random graph: each task writes one of about sqrt(tasks) addresses and reads two others. */
#include <stdlib.h>

#include "common/base/message.h"
#include "common/base/sizes.h"
#include "micro/patterns/patterns.h"

enum { READ = 2 };

static size_t addresses(const struct shape *shape)
{
    return larger(pattern_width(shape->tasks), READ + 1);
}

static struct range roots(const struct shape *shape)
{
    return (struct range){0, addresses(shape)};
}

/* SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static uint64_t mix(uint64_t state)
{
    uint64_t z = state + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The addresses of a task, all different. */
struct choice {
    size_t written, read[READ];
};

static struct choice choose(uint64_t seed, size_t task, size_t count)
{
    uint64_t bits = mix(seed ^ mix(task));
    struct choice choice = {.written = bits % count};
    size_t first = bits / count % (count - 1), step = bits / count / count % (count - 2);
    choice.read[0] = (choice.written + 1 + first) % count;
    choice.read[1] = (choice.written + 1 + (first + 1 + step) % (count - 1)) % count;
    return choice;
}

/* Numbers of tasks and of reads that do not exist. */
static const size_t NONE = SIZE_MAX;

/* Who wrote an address last, and the last read since. */
struct history {
    size_t writer, read;
};

/* All addresses, and for each read the one before it of the same address. Read r of task t is number READ t + r. */
struct memory {
    struct history *histories;
    size_t *read_before;
};

static struct memory memory_create(size_t count, size_t tasks)
{
    struct memory memory = {calloc(count, sizeof(struct history)),
                            calloc(READ * tasks, sizeof(size_t))};
    if (!memory.histories || !memory.read_before)
        message_fatal(POLLUX_MACHINE, "no memory for a random graph of %zu tasks", tasks);
    for (size_t a = 0; a < count; a++)
        memory.histories[a] = (struct history){NONE, NONE};
    return memory;
}

static void read_address(struct memory *memory, size_t address, struct graph *graph, size_t read)
{
    struct history *history = &memory->histories[address];
    if (history->writer != NONE)
        graph_add_predecessor(graph, history->writer);
    memory->read_before[read] = history->read;
    history->read = read;
}

static void write_address(struct memory *memory, size_t address, struct graph *graph, size_t task)
{
    struct history *history = &memory->histories[address];
    if (history->writer != NONE)
        graph_add_predecessor(graph, history->writer);
    for (size_t read = history->read; read != NONE; read = memory->read_before[read])
        graph_add_predecessor(graph, read / READ);
    *history = (struct history){task, NONE};
}

static void define(const struct shape *shape, struct graph *graph)
{
    size_t count = addresses(shape);
    struct memory memory = memory_create(count, shape->tasks);
    for (size_t i = 0; i < shape->tasks; i++) {
        struct choice choice = choose(shape->seed, i, count);
        graph_add_task(graph);
        for (size_t r = 0; r < READ; r++)
            read_address(&memory, choice.read[r], graph, READ * i + r);
        write_address(&memory, choice.written, graph, i);
    }
    free(memory.read_before);
    free(memory.histories);
}

static void create(struct run *run)
{
    size_t count = addresses(run->shape);
    for (size_t i = 0; i < run->shape->tasks; i++) {
        struct choice choice = choose(run->shape->seed, i, count);
        char *a = run_address(run, choice.read[0]);
        char *b = run_address(run, choice.read[1]);
        char *own = run_address(run, choice.written);
#pragma omp task firstprivate(run, i) depend(in : a[0], b[0]) depend(inout : own[0])
        run_task(run, i);
    }
}

const struct pattern random_graph = {.name = "random",
                                     .summary =
                                         "each task reads two random addresses and writes one",
                                     .addresses = addresses,
                                     .roots = roots,
                                     .define = define,
                                     .create = create};
