/* SPDX-License-Identifier: BSD-3-Clause
 * The random graph's definition. */
#include "micro/random_choice.h"

#include "common/base/random.h"
#include "common/base/sizes.h"
#include "micro/conflicts.h"

size_t random_addresses(const struct shape *shape)
{
    return larger(pattern_width(shape->tasks), RANDOM_READS + 1);
}

int random_priority(const struct shape *shape, size_t task)
{
    if (shape->priorities == CLAUSES_EQUAL)
        return 1;
    return 1 + (int)(random_bits(shape->seed, task) % TASK_PRIORITY_MAX);
}

struct random_choice random_choose(uint64_t seed, size_t task, size_t count)
{
    uint64_t bits = random_bits(seed, task);
    struct random_choice choice = {.written = bits % count};
    size_t first = bits / count % (count - 1), step = bits / count / count % (count - 2);
    choice.read[0] = (choice.written + 1 + first) % count;
    choice.read[1] = (choice.written + 1 + (first + 1 + step) % (count - 1)) % count;
    return choice;
}

void random_define(const struct shape *shape, struct graph *graph)
{
    size_t count = random_addresses(shape);
    struct conflicts *conflicts = conflicts_create(graph, count, shape->tasks);
    for (size_t i = 0; i < shape->tasks; i++) {
        struct random_choice choice = random_choose(shape->seed, i, count);
        graph_add_task(graph);
        for (size_t r = 0; r < RANDOM_READS; r++)
            conflicts_read(conflicts, choice.read[r]);
        conflicts_write(conflicts, choice.written);
    }
    conflicts_destroy(conflicts);
}
