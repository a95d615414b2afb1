/* SPDX-License-Identifier: BSD-3-Clause
 * SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) chooses; the order is
 * that of OpenMP: a reader waits for the last writer, a writer for it and for all readers since. */
#include "micro/random_choice.h"

#include <stdlib.h>

#include "common/base/message.h"
#include "common/base/sizes.h"

size_t random_addresses(const struct shape *shape)
{
    return larger(pattern_width(shape->tasks), RANDOM_READS + 1);
}

static uint64_t mix(uint64_t state)
{
    uint64_t z = state + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct random_choice random_choose(uint64_t seed, size_t task, size_t count)
{
    uint64_t bits = mix(seed ^ mix(task));
    struct random_choice choice = {.written = bits % count};
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

/* All addresses, and for each read the one before it of the same address. Read r of task t is number
 * RANDOM_READS t + r. */
struct memory {
    struct history *histories;
    size_t *read_before;
};

static struct memory memory_create(size_t count, size_t tasks)
{
    struct memory memory = {calloc(count, sizeof(struct history)),
                            calloc(RANDOM_READS * tasks, sizeof(size_t))};
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
        graph_add_predecessor(graph, read / RANDOM_READS);
    *history = (struct history){task, NONE};
}

void random_define(const struct shape *shape, struct graph *graph)
{
    size_t count = random_addresses(shape);
    struct memory memory = memory_create(count, shape->tasks);
    for (size_t i = 0; i < shape->tasks; i++) {
        struct random_choice choice = random_choose(shape->seed, i, count);
        graph_add_task(graph);
        for (size_t r = 0; r < RANDOM_READS; r++)
            read_address(&memory, choice.read[r], graph, RANDOM_READS * i + r);
        write_address(&memory, choice.written, graph, i);
    }
    free(memory.read_before);
    free(memory.histories);
}
