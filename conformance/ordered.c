/* SPDX-License-Identifier: BSD-3-Clause
 * The oracle counts at creation what tasks count as they end; a task that begins compares. */
#include "conformance/ordered.h"

size_t ordered_next(struct trial *trial, struct ordered *graph)
{
    struct ordered_counts *created = &graph->created;
    size_t reads = trial_random(trial, ORDERED_ADDRESSES);
    size_t writes = (reads + 1 + trial_random(trial, ORDERED_ADDRESSES - 1)) % ORDERED_ADDRESSES;
    graph->task[graph->tasks] =
        (struct ordered_task){.reads = reads,
                              .writes = writes,
                              .written_before_read = created->written[reads],
                              .written_before_write = created->written[writes],
                              .read_before_write = created->read[writes]};
    created->read[reads]++;
    created->written[writes]++;
    return graph->tasks++;
}

int *ordered_read(struct ordered *graph, size_t task)
{
    return &graph->address[graph->task[task].reads];
}

int *ordered_written(struct ordered *graph, size_t task)
{
    return &graph->address[graph->task[task].writes];
}

void ordered_begin(struct trial *trial, struct ordered *graph, size_t task)
{
    const struct ordered_task *wanted = &graph->task[task];
    int written_before_read = shared_get(&graph->seen.written[wanted->reads]);
    int written_before_write = shared_get(&graph->seen.written[wanted->writes]);
    int read_before_write = shared_get(&graph->seen.read[wanted->writes]);
    if (written_before_read != wanted->written_before_read)
        trial_broken(trial, "task %zu reads address %zu after %d of %d writers", task,
                     wanted->reads, written_before_read, wanted->written_before_read);
    if (written_before_write != wanted->written_before_write)
        trial_broken(trial, "task %zu writes address %zu after %d of %d writers", task,
                     wanted->writes, written_before_write, wanted->written_before_write);
    if (read_before_write != wanted->read_before_write)
        trial_broken(trial, "task %zu writes address %zu after %d of %d readers", task,
                     wanted->writes, read_before_write, wanted->read_before_write);
}

void ordered_end(struct ordered *graph, size_t task)
{
    shared_add(&graph->seen.read[graph->task[task].reads], 1);
    shared_add(&graph->seen.written[graph->task[task].writes], 1);
}

void ordered_run(struct trial *trial, struct ordered *graph, size_t task, size_t microseconds)
{
    ordered_begin(trial, graph, task);
    keep_busy_randomly(trial, task, microseconds);
    ordered_end(graph, task);
}

bool ordered_writers_ended(const struct ordered *graph, size_t address)
{
    return shared_get(&graph->seen.written[address]) == graph->created.written[address];
}

bool ordered_readers_ended(const struct ordered *graph, size_t address)
{
    return shared_get(&graph->seen.read[address]) == graph->created.read[address];
}

void ordered_check_complete(struct trial *trial, const struct ordered *graph)
{
    size_t ended = 0;
    for (size_t i = 0; i < ORDERED_ADDRESSES; i++)
        ended += (size_t)shared_get(&graph->seen.written[i]);
    if (ended != graph->tasks)
        trial_broken(trial, "%zu of %zu tasks were complete at the end", ended, graph->tasks);
}
