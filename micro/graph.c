/* SPDX-License-Identifier: BSD-3-Clause
 * Lists of predecessors, one after another in one array. */
#include "micro/graph.h"

#include <stdlib.h>

#include "common/base/message.h"

void graph_out_of_memory(size_t tasks)
{
    message_fatal(POLLUX_MACHINE, "no memory for the order of %zu tasks: choose fewer with --tasks",
                  tasks);
}

struct graph graph_create(size_t tasks)
{
    struct graph graph = {.first = calloc(tasks + 1, sizeof *graph.first), .capacity = tasks + 1};
    graph.predecessor = calloc(graph.capacity, sizeof *graph.predecessor);
    if (!graph.first || !graph.predecessor)
        graph_out_of_memory(tasks);
    return graph;
}

void graph_destroy(struct graph *graph)
{
    free(graph->first);
    free(graph->predecessor);
}

void graph_add_task(struct graph *graph)
{
    graph->tasks++;
    graph->first[graph->tasks] = graph->first[graph->tasks - 1];
}

void graph_add_predecessor(struct graph *graph, size_t predecessor)
{
    size_t edges = graph_edges(graph);
    if (edges == graph->capacity) {
        graph->capacity *= 2;
        size_t *larger =
            reallocarray(graph->predecessor, graph->capacity, sizeof *graph->predecessor);
        if (!larger)
            graph_out_of_memory(graph->tasks);
        graph->predecessor = larger;
    }
    graph->predecessor[edges] = predecessor;
    graph->first[graph->tasks]++;
}

size_t graph_edges(const struct graph *graph)
{
    return graph->first[graph->tasks];
}

size_t graph_longest_path(const struct graph *graph)
{
    size_t longest = 0, *length = calloc(graph->tasks + 1, sizeof *length);
    if (!length)
        graph_out_of_memory(graph->tasks);
    for (size_t t = 0; t < graph->tasks; t++) {
        for (size_t e = graph->first[t]; e < graph->first[t + 1]; e++) {
            size_t before = length[graph->predecessor[e]];
            length[t] = before > length[t] ? before : length[t];
        }
        length[t]++;
        longest = length[t] > longest ? length[t] : longest;
    }
    free(length);
    return longest;
}
