/* SPDX-License-Identifier: BSD-3-Clause
 * The reads of an object since it was written form a list. A task that several objects make a predecessor is added
 * once. */
#include "micro/conflicts.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/base/memory.h"

/* Numbers of tasks and of reads that do not exist. */
static const size_t NONE = SIZE_MAX;

/* Who wrote an object last, and the last read since. */
struct history {
    size_t writer, read;
};

struct read {
    size_t task, before; /* the read of the same object before it */
};

struct conflicts {
    struct graph *graph;
    struct history *histories;
    struct read *reads;
    size_t read_count, read_capacity;
    size_t *successor; /* of each task: the last task that it was made a predecessor of */
};

struct conflicts *conflicts_create(struct graph *graph, size_t objects, size_t tasks)
{
    struct conflicts *c = zeros_for(1, sizeof *c, ORDER_OF, tasks);
    c->graph = graph;
    c->histories = zeros_for(objects, sizeof *c->histories, ORDER_OF, tasks);
    c->successor = zeros_for(tasks, sizeof *c->successor, ORDER_OF, tasks);
    for (size_t o = 0; o < objects; o++)
        c->histories[o] = (struct history){NONE, NONE};
    return c;
}

void conflicts_destroy(struct conflicts *c)
{
    free(c->histories);
    free(c->reads);
    free(c->successor);
    free(c);
}

/* The task that was added last. Task 0 has no predecessors, so that 0 means none in `successor`. */
static size_t current(const struct conflicts *c)
{
    return c->graph->tasks - 1;
}

static void wait_for(struct conflicts *c, size_t task)
{
    if (task == NONE || task == current(c) || c->successor[task] == current(c))
        return;
    c->successor[task] = current(c);
    graph_add_predecessor(c->graph, task);
}

static size_t new_read(struct conflicts *c, size_t before)
{
    c->reads = grown(c->reads, c->read_count, &c->read_capacity, sizeof *c->reads, ORDER_OF,
                     c->graph->tasks);
    c->reads[c->read_count] = (struct read){current(c), before};
    return c->read_count++;
}

void conflicts_read(struct conflicts *c, size_t object)
{
    struct history *history = &c->histories[object];
    wait_for(c, history->writer);
    history->read = new_read(c, history->read);
}

void conflicts_write(struct conflicts *c, size_t object)
{
    struct history *history = &c->histories[object];
    wait_for(c, history->writer);
    for (size_t read = history->read; read != NONE; read = c->reads[read].before)
        wait_for(c, c->reads[read].task);
    *history = (struct history){current(c), NONE};
}
