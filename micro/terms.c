/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks are sorted by thread and time, which gives each one the task before it on its thread. */
#include "micro/terms.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/base/statistics.h"

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

int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A task that has run, and when its last predecessor had ended. */
struct ran {
    const struct cell *cell;
    int64_t ready;
};

/* By thread, then by the time at which the task began. */
static int compare_tasks(const void *a, const void *b)
{
    const struct cell *x = ((const struct ran *)a)->cell, *y = ((const struct ran *)b)->cell;
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
static size_t release_times(struct ran *tasks, size_t count, double *times)
{
    size_t known = 0;
    qsort(tasks, count, sizeof *tasks, compare_tasks);
    for (size_t k = 0; k < count; k++) {
        const struct cell *cell = tasks[k].cell, *before = k > 0 ? tasks[k - 1].cell : NULL;
        int64_t ready = tasks[k].ready;
        if (ready == INT64_MIN)
            continue;
        if (before && before->thread == cell->thread)
            ready = later(ready, before->end_ns);
        times[known++] = (double)(cell->begin_ns - ready);
    }
    return known;
}

double release_ns(const struct run *runs, size_t count, double clock_ns)
{
    size_t each = runs[0].graph->tasks, all = count * each;
    struct ran *tasks = zeros_for(all, sizeof *tasks, "the times of %zu tasks", all);
    double *times = zeros_for(all, sizeof *times, "the times of %zu tasks", all);
    for (size_t t = 0; t < all; t++) {
        const struct run *run = &runs[t / each];
        tasks[t] = (struct ran){&run->cells[t % each], last_predecessor_end(run, t % each)};
    }
    size_t known = release_times(tasks, all, times);
    double result = known > 0 ? median(times, known) - clock_ns : NAN;
    free(times);
    free(tasks);
    return result;
}

double completion_ns(const struct run *runs, size_t count, int64_t end_ns, double clock_ns)
{
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < runs[i].graph->tasks; t++)
            last = later(last, runs[i].cells[t].end_ns);
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
