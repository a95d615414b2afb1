/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of equally many tasks, each of which reads what tasks of the row before wrote. Task i is number i mod width
 * of row i / width; the last row may be shorter. */
#include "micro/patterns/patterns.h"

/* A row's width, but no more than there are tasks. */
static size_t cut(size_t width, size_t tasks)
{
    return width < tasks ? width : tasks;
}

/* Two rows of addresses take turns. */
static size_t two_rows(const struct shape *shape)
{
    return 2 * pattern_width(shape->tasks);
}

static struct range first_row(const struct shape *shape)
{
    return (struct range){0, cut(pattern_width(shape->tasks), shape->tasks)};
}

/* The address of a point in the row that is written, and in the one that is read. */
static char *written(const struct run *run, size_t width, size_t row, size_t x)
{
    return run_address(run, row % 2 * width + x);
}

static char *read(const struct run *run, size_t width, size_t row, size_t x)
{
    return run_address(run, (row + 1) % 2 * width + x);
}

static void define_stencil(const struct shape *shape, struct graph *graph)
{
    size_t width = pattern_width(shape->tasks);
    for (size_t i = 0; i < shape->tasks; i++) {
        size_t x = i % width, before = i - x - width;
        graph_add_task(graph);
        if (i < width)
            continue;
        graph_add_predecessor(graph, before + (x + width - 1) % width);
        graph_add_predecessor(graph, before + x);
        graph_add_predecessor(graph, before + (x + 1) % width);
    }
}

static void create_stencil(struct run *run)
{
    size_t width = pattern_width(run->shape->tasks);
    for (size_t i = 0; i < run->shape->tasks; i++) {
        size_t row = i / width, x = i % width;
        char *left = read(run, width, row, (x + width - 1) % width);
        char *middle = read(run, width, row, x);
        char *right = read(run, width, row, (x + 1) % width);
        char *own = written(run, width, row, x);
#pragma omp task firstprivate(run, i) depend(in : left[0], middle[0], right[0]) depend(out : own[0])
        run_task(run, i);
    }
}

const struct pattern stencil_1d = {.name = "stencil-1d",
                                   .summary =
                                       "rows of a ring: each task reads three of the row before",
                                   .addresses = two_rows,
                                   .roots = first_row,
                                   .define = define_stencil,
                                   .create = create_stencil};

/* The side of a row that is a square. */
static size_t side(const struct shape *shape)
{
    size_t length = 1;
    while (length * length * length < shape->tasks)
        length++;
    return length;
}

static size_t two_squares(const struct shape *shape)
{
    return 2 * side(shape) * side(shape);
}

static struct range first_square(const struct shape *shape)
{
    return (struct range){0, cut(side(shape) * side(shape), shape->tasks)};
}

enum { NEIGHBOURS = 5 };

/* The points that a task reads: its own, and those beside, above and below, of a torus. */
static void neighbours(size_t n, size_t x, size_t points[NEIGHBOURS])
{
    size_t i = x % n, j = x / n;
    points[0] = x;
    points[1] = (i + 1) % n + j * n;
    points[2] = (i + n - 1) % n + j * n;
    points[3] = i + (j + 1) % n * n;
    points[4] = i + (j + n - 1) % n * n;
}

static void define_torus(const struct shape *shape, struct graph *graph)
{
    size_t n = side(shape), width = n * n, points[NEIGHBOURS];
    for (size_t i = 0; i < shape->tasks; i++) {
        graph_add_task(graph);
        neighbours(n, i % width, points);
        for (size_t p = 0; i >= width && p < NEIGHBOURS; p++)
            graph_add_predecessor(graph, i - i % width - width + points[p]);
    }
}

static void create_torus(struct run *run)
{
    size_t n = side(run->shape), width = n * n, points[NEIGHBOURS];
    for (size_t i = 0; i < run->shape->tasks; i++) {
        size_t row = i / width;
        neighbours(n, i % width, points);
        char *middle = read(run, width, row, points[0]);
        char *right = read(run, width, row, points[1]);
        char *left = read(run, width, row, points[2]);
        char *below = read(run, width, row, points[3]);
        char *above = read(run, width, row, points[4]);
        char *own = written(run, width, row, points[0]);
#pragma omp task firstprivate(run, i) \
    depend(in : middle[0], right[0], left[0], below[0], above[0]) depend(out : own[0])
        run_task(run, i);
    }
}

const struct pattern stencil_2d = {.name = "stencil-2d",
                                   .summary =
                                       "squares of a torus: each task reads five of the one before",
                                   .needs = CAPABILITY_MANY_ITEMS,
                                   .addresses = two_squares,
                                   .roots = first_square,
                                   .define = define_torus,
                                   .create = create_torus};

/* The smallest power of two that is at least the width. */
static size_t butterfly_width(const struct shape *shape)
{
    size_t width = 1;
    while (width < pattern_width(shape->tasks))
        width *= 2;
    return width;
}

/* Each task writes an address of its own: rows that took turns would order more than a butterfly does. Before them
 * is a row that nobody writes, which the first row reads. */
static size_t all_rows(const struct shape *shape)
{
    return butterfly_width(shape) + shape->tasks;
}

static struct range second_row(const struct shape *shape)
{
    size_t width = butterfly_width(shape);
    return (struct range){width, width + cut(width, shape->tasks)};
}

/* The other point that a task reads: at distance 1, 2, 4, … below the width, and 1 again. */
static size_t partner(size_t width, size_t row, size_t x)
{
    size_t distances = 0;
    while ((size_t)2 << distances <= width)
        distances++;
    size_t before = row > 0 ? row - 1 : 0;
    return distances > 0 ? x ^ (size_t)1 << before % distances : x;
}

static void define_butterfly(const struct shape *shape, struct graph *graph)
{
    size_t width = butterfly_width(shape);
    for (size_t i = 0; i < shape->tasks; i++) {
        size_t row = i / width, x = i % width;
        graph_add_task(graph);
        if (row == 0)
            continue;
        graph_add_predecessor(graph, i - width);
        graph_add_predecessor(graph, (row - 1) * width + partner(width, row, x));
    }
}

static void create_row(struct run *run, size_t width, size_t row, size_t end)
{
    size_t distance = partner(width, row, 0);
    for (size_t x = 0; x < end; x++) {
        size_t i = row * width + x;
        char *same = run_address(run, i);
        char *other = run_address(run, row * width + (x ^ distance));
        char *own = run_address(run, width + i);
#pragma omp task firstprivate(run, i) depend(in : same[0], other[0]) depend(out : own[0])
        run_task(run, i);
    }
}

static void create_butterfly(struct run *run)
{
    size_t width = butterfly_width(run->shape), tasks = run->shape->tasks;
    for (size_t row = 0; row * width < tasks; row++)
        create_row(run, width, row, cut(width, tasks - row * width));
}

const struct pattern butterfly = {.name = "butterfly",
                                  .summary = "each task reads two of the row before, as in an FFT",
                                  .addresses = all_rows,
                                  .roots = second_row,
                                  .define = define_butterfly,
                                  .create = create_butterfly};
