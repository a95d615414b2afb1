/* SPDX-License-Identifier: BSD-3-Clause
 * Plans graphs from a seed, and compares what tasks find with the order of creation.
 *
 * Why a count of ended tasks is enough: let T be the first task that begins too early. No task of
 * T's set or of a later one has begun by the rules, so all that have ended belong to earlier sets,
 * and they are fewer than T needs. */
#include "conformance/random_graph.h"

#include <string.h>
#include <time.h>

/* One task in LINGERING lasts this long, the others less than BUSY_MICROSECONDS. */
enum { BUSY_MICROSECONDS = 8, LINGERING = 16, LINGER_NANOSECONDS = 200000 };

/* An address, as the oracle knows it. */
struct history {
    enum item_kind kind;              /* of the current set */
    int named, written;               /* so far */
    int named_before, written_before; /* when the current set began */
};

static bool writes_alone(enum item_kind kind)
{
    return kind == ITEM_INOUT || kind == ITEM_MUTEXINOUTSET;
}

static struct planned_item next_item(struct history *history, int address, enum item_kind kind)
{
    struct history *h = &history[address];
    if (kind == ITEM_INOUT || kind != h->kind) {
        h->kind = kind;
        h->named_before = h->named;
        h->written_before = h->written;
    }
    h->named++;
    if (writes_alone(kind))
        h->written++;
    return (struct planned_item){
        .address = address, .kind = kind, .ended = h->named_before, .written = h->written_before};
}

/* Swaps a random one of the numbers from `first` on into that place. */
static int draw(struct trial *trial, int *numbers, int first, int count)
{
    int chosen = first + (int)trial_random(trial, (size_t)(count - first));
    int number = numbers[chosen];
    numbers[chosen] = numbers[first];
    numbers[first] = number;
    return number;
}

static void plan_graph(struct trial *trial, struct graph *graph, int tasks, int addresses,
                       const struct shape *shapes, int shape_count)
{
    struct history history[ADDRESSES_MAX] = {{0}};
    int numbers[ADDRESSES_MAX] = {0};
    for (int i = 0; i < addresses; i++)
        numbers[i] = i;
    memset(graph, 0, sizeof *graph);
    graph->tasks = tasks;
    graph->addresses = addresses;
    for (int t = 0; t < tasks; t++) {
        struct planned_task *task = &graph->task[t];
        task->shape = (int)trial_random(trial, (size_t)shape_count);
        const struct shape *shape = &shapes[task->shape];
        task->lingers = trial_random(trial, LINGERING) == 0;
        task->items = shape->items;
        for (int i = 0; i < shape->items; i++)
            task->item[i] = next_item(history, draw(trial, numbers, i, addresses), shape->kind[i]);
    }
}

int *planned_address(struct graph *graph, int task, int item)
{
    return &graph->value[graph->task[task].item[item].address];
}

static void enter(struct trial *trial, struct graph *graph, int task,
                  const struct planned_item *item, int value)
{
    int ended = shared_get(&graph->ended[item->address]);
    if (ended < item->ended)
        trial_broken(trial,
                     "task %d begins when %d of the %d earlier tasks on address %d have ended",
                     task, ended, item->ended, item->address);
    else if (value < item->written || (value > item->written && item->kind != ITEM_MUTEXINOUTSET))
        trial_broken(trial, "task %d sees %d of the %d earlier writes of address %d", task, value,
                     item->written, item->address);
    if (item->kind == ITEM_MUTEXINOUTSET && shared_add(&graph->inside[item->address], 1) != 1)
        trial_broken(trial,
                     "task %d and another are inside the mutexinoutset of address %d at once", task,
                     item->address);
}

/* Leaves the processor to other threads, so that a task that begins too early does so now. */
static void linger(void)
{
    const struct timespec time = {.tv_nsec = LINGER_NANOSECONDS};
    nanosleep(&time, NULL);
}

static void leave(struct graph *graph, const struct planned_item *item)
{
    if (item->kind == ITEM_MUTEXINOUTSET)
        shared_add(&graph->inside[item->address], -1);
    shared_add(&graph->ended[item->address], 1);
}

/* The values are plain memory, read before any other access: what the runtime must make visible
 * must not become visible through the accesses of the test. */
void run_planned(struct trial *trial, struct graph *graph, int task)
{
    const struct planned_task *planned = &graph->task[task];
    int value[ITEMS_MAX] = {0};
    for (int i = 0; i < planned->items; i++)
        value[i] = graph->value[planned->item[i].address];
    for (int i = 0; i < planned->items; i++)
        enter(trial, graph, task, &planned->item[i], value[i]);
    if (planned->lingers)
        linger();
    else
        keep_busy_randomly(trial, (size_t)task, BUSY_MICROSECONDS);
    for (int i = 0; i < planned->items; i++)
        if (writes_alone(planned->item[i].kind))
            graph->value[planned->item[i].address] = value[i] + 1;
    for (int i = 0; i < planned->items; i++)
        leave(graph, &planned->item[i]);
    shared_add(&graph->ran, 1);
}

static void check_all_ran(struct trial *trial, const struct graph *graph)
{
    int written[ADDRESSES_MAX] = {0};
    if (graph->ran != graph->tasks)
        trial_broken(trial, "%d of %d tasks ran", graph->ran, graph->tasks);
    for (int t = 0; t < graph->tasks; t++)
        for (int i = 0; i < graph->task[t].items; i++)
            if (writes_alone(graph->task[t].item[i].kind))
                written[graph->task[t].item[i].address]++;
    for (int a = 0; a < graph->addresses; a++)
        if (graph->value[a] != written[a])
            trial_broken(trial, "address %d holds %d after %d writes", a, graph->value[a],
                         written[a]);
}

/* The argument of on_single. */
struct submission {
    struct graph *graph;
    void (*submit_task)(struct trial *trial, struct graph *graph, int task);
};

static void submit_all(struct trial *trial, void *data)
{
    const struct submission *submission = data;
    for (int t = 0; t < submission->graph->tasks; t++)
        submission->submit_task(trial, submission->graph, t);
}

void try_graph(struct trial *trial, int tasks, int addresses, const struct shape *shapes,
               int shape_count,
               void (*submit_task)(struct trial *trial, struct graph *graph, int task))
{
    struct graph graph;
    struct submission submission = {&graph, submit_task};
    plan_graph(trial, &graph, tasks, addresses, shapes, shape_count);
    on_single(trial, submit_all, &submission);
    check_all_ran(trial, &graph);
}
