/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks are sorted by thread and time, which gives each one the task before it on its thread. */
#include "micro/terms.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/message.h"
#include "common/base/statistics.h"

const char *const term_names[TERMS] = {"creation", "per_item", "release", "completion"};

void terms_know(struct terms *terms, enum term term, double ns)
{
    terms->ns[term] = ns;
    terms->reason[term] = NULL;
}

void terms_lack(struct terms *terms, enum term term, const char *reason)
{
    terms->ns[term] = NAN;
    terms->reason[term] = reason;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* By thread, then by the time at which the task began. */
static int compare_cells(const void *a, const void *b)
{
    const struct cell *x = *(const struct cell *const *)a, *y = *(const struct cell *const *)b;
    if (x->thread != y->thread)
        return (x->thread > y->thread) - (x->thread < y->thread);
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static int64_t last_predecessor_end(const struct run *run, size_t task)
{
    const struct graph *graph = run->graph;
    int64_t end = INT64_MIN;
    for (size_t e = graph->first[task]; e < graph->first[task + 1]; e++)
        end = later(end, run->cells[graph->predecessor[e]].end_ns);
    return end;
}

/* Writes the times of all tasks with predecessors. @return how many */
static size_t release_times(const struct run *run, const struct cell **order, double *times)
{
    size_t tasks = run->graph->tasks, count = 0;
    for (size_t t = 0; t < tasks; t++)
        order[t] = &run->cells[t];
    qsort(order, tasks, sizeof(struct cell *), compare_cells);
    for (size_t k = 0; k < tasks; k++) {
        int64_t ready = last_predecessor_end(run, (size_t)(order[k] - run->cells));
        if (ready == INT64_MIN)
            continue;
        if (k > 0 && order[k - 1]->thread == order[k]->thread)
            ready = later(ready, order[k - 1]->end_ns);
        times[count++] = (double)(order[k]->begin_ns - ready);
    }
    return count;
}

double release_ns(const struct run *run, double clock_ns)
{
    size_t tasks = run->graph->tasks;
    const struct cell **order = calloc(tasks, sizeof *order);
    double *times = calloc(tasks, sizeof *times);
    if (!order || !times)
        message_fatal(POLLUX_MACHINE, "no memory for the times of %zu tasks", tasks);
    size_t count = release_times(run, order, times);
    sort_ascending(times, count);
    double result = count > 0 ? median_of_sorted(times, count) - clock_ns : NAN;
    free(times);
    free(order);
    return result;
}

double completion_ns(const struct run *run, int64_t end_ns, double clock_ns)
{
    int64_t last = INT64_MIN;
    for (size_t t = 0; t < run->graph->tasks; t++)
        last = later(last, run->cells[t].end_ns);
    return (double)(end_ns - last) - clock_ns;
}

double slope(const double *x, const double *y, size_t count)
{
    double mean_x = 0.0, mean_y = 0.0, products = 0.0, squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        mean_x += x[i] / (double)count;
        mean_y += y[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        products += (x[i] - mean_x) * (y[i] - mean_y);
        squares += (x[i] - mean_x) * (x[i] - mean_x);
    }
    return squares > 0.0 ? products / squares : NAN;
}
