/* SPDX-License-Identifier: BSD-3-Clause
 * Lists of predecessors, one after another in one array. */
#include "micro/graph.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "common/base/sizes.h"

struct graph graph_create(size_t tasks)
{
    return (struct graph){.first = zeros_for(tasks + 1, sizeof(size_t), ORDER_OF, tasks)};
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
    graph->predecessor = grown(graph->predecessor, edges, &graph->capacity,
                               sizeof *graph->predecessor, ORDER_OF, graph->tasks);
    graph->predecessor[edges] = predecessor;
    graph->first[graph->tasks]++;
}

size_t graph_edges(const struct graph *graph)
{
    return graph->first[graph->tasks];
}

size_t graph_longest_path(const struct graph *graph)
{
    size_t longest = 0, *length = zeros_for(graph->tasks, sizeof *length, ORDER_OF, graph->tasks);
    for (size_t t = 0; t < graph->tasks; t++) {
        for (size_t e = graph->first[t]; e < graph->first[t + 1]; e++) {
            size_t before = length[graph->predecessor[e]];
            length[t] = larger(before, length[t]);
        }
        length[t]++;
        longest = larger(longest, length[t]);
    }
    free(length);
    return longest;
}
