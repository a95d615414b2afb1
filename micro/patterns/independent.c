/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks that wait for none. Each writes an address and reads others, which no other task names: the items cost
 * what an item costs that orders nothing. They are written out, since a list in a clause is fixed when it is
 * compiled. */
#include "micro/patterns/patterns.h"

size_t independent_addresses(const struct shape *shape)
{
    return shape->tasks * shape->items;
}

struct range independent_roots(const struct shape *shape)
{
    return (struct range){0, shape->tasks};
}

void define_independent(const struct shape *shape, struct graph *graph)
{
    for (size_t i = 0; i < shape->tasks; i++)
        graph_add_task(graph);
}

static void create_1(struct run *run, size_t i)
{
    char *own = run_address(run, i);
#pragma omp task firstprivate(run, i) depend(inout : own[0])
    run_task(run, i);
}

static void create_2(struct run *run, size_t i)
{
    char *own = run_address(run, i);
    char *p = run_address(run, run->shape->tasks + i);
#pragma omp task firstprivate(run, i) depend(inout : own[0]) depend(in : p[0])
    run_task(run, i);
}

static void create_4(struct run *run, size_t i)
{
    char *own = run_address(run, i);
    char *p = run_address(run, run->shape->tasks + i * 3);
    size_t d = run->distance;
#pragma omp task firstprivate(run, i) depend(inout : own[0]) depend(in : p[0], p[d], p[2 * d])
    run_task(run, i);
}

static void create_8(struct run *run, size_t i)
{
    char *own = run_address(run, i);
    char *p = run_address(run, run->shape->tasks + i * 7);
    size_t d = run->distance;
#pragma omp task firstprivate(run, i) depend(inout : own[0]) \
    depend(in : p[0], p[d], p[2 * d], p[3 * d], p[4 * d], p[5 * d], p[6 * d])
    run_task(run, i);
}

static void create_16(struct run *run, size_t i)
{
    char *own = run_address(run, i);
    char *p = run_address(run, run->shape->tasks + i * 15);
    size_t d = run->distance;
#pragma omp task firstprivate(run, i) depend(inout : own[0]) \
    depend(in : p[0], p[d], p[2 * d], p[3 * d], p[4 * d], p[5 * d], p[6 * d], p[7 * d], p[8 * d], \
               p[9 * d], p[10 * d], p[11 * d], p[12 * d], p[13 * d], p[14 * d])
    run_task(run, i);
}

static void create_32(struct run *run, size_t i)
{
    char *own = run_address(run, i);
    char *p = run_address(run, run->shape->tasks + i * 31);
    size_t d = run->distance;
#pragma omp task firstprivate(run, i) depend(inout : own[0]) depend( \
        in : p[0], p[d], p[2 * d], p[3 * d], p[4 * d], p[5 * d], p[6 * d], p[7 * d], p[8 * d], \
            p[9 * d], p[10 * d], p[11 * d], p[12 * d], p[13 * d], p[14 * d], p[15 * d], p[16 * d], \
            p[17 * d], p[18 * d], p[19 * d], p[20 * d], p[21 * d], p[22 * d], p[23 * d], \
            p[24 * d], p[25 * d], p[26 * d], p[27 * d], p[28 * d], p[29 * d], p[30 * d])
    run_task(run, i);
}

static void create_64(struct run *run, size_t i)
{
    char *own = run_address(run, i);
    char *p = run_address(run, run->shape->tasks + i * 63);
    size_t d = run->distance;
#pragma omp task firstprivate(run, i) depend(inout : own[0]) \
    depend(in : p[0], p[d], p[2 * d], p[3 * d], p[4 * d], p[5 * d], p[6 * d], p[7 * d], p[8 * d], \
               p[9 * d], p[10 * d], p[11 * d], p[12 * d], p[13 * d], p[14 * d], p[15 * d], \
               p[16 * d], p[17 * d], p[18 * d], p[19 * d], p[20 * d], p[21 * d], p[22 * d], \
               p[23 * d], p[24 * d], p[25 * d], p[26 * d], p[27 * d], p[28 * d], p[29 * d], \
               p[30 * d], p[31 * d], p[32 * d], p[33 * d], p[34 * d], p[35 * d], p[36 * d], \
               p[37 * d], p[38 * d], p[39 * d], p[40 * d], p[41 * d], p[42 * d], p[43 * d], \
               p[44 * d], p[45 * d], p[46 * d], p[47 * d], p[48 * d], p[49 * d], p[50 * d], \
               p[51 * d], p[52 * d], p[53 * d], p[54 * d], p[55 * d], p[56 * d], p[57 * d], \
               p[58 * d], p[59 * d], p[60 * d], p[61 * d], p[62 * d])
    run_task(run, i);
}

static void create(struct run *run)
{
    static const struct {
        size_t items;
        void (*create)(struct run *run, size_t i);
    } tasks[] = {{1, create_1},   {2, create_2},   {4, create_4},  {8, create_8},
                 {16, create_16}, {32, create_32}, {64, create_64}};
    size_t choice = 0;
    while (tasks[choice].items < run->shape->items)
        choice++;
    for (size_t i = 0; i < run->shape->tasks; i++)
        tasks[choice].create(run, i);
}

const struct pattern independent = {.name = "independent",
                                    .summary = "no task waits for another; 1 to 64 items each",
                                    .chosen_items = true,
                                    .addresses = independent_addresses,
                                    .roots = independent_roots,
                                    .define = define_independent,
                                    .create = create};
