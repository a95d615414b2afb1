/* SPDX-License-Identifier: BSD-3-Clause
 * Marks are accessed as atomics: where a construct does not do what it is for, they are accessed at once, and that
 * must be found, not be undefined. */
#include "micro/constructs/run.h"

#include <omp.h>

/* One copy for all callers: copies of the loop at other addresses can take twice as long. */
__attribute__((noinline, aligned(64))) void construct_delay(size_t steps)
{
    for (size_t s = 0; s < steps; s++)
        __asm__ volatile("");
}

static void report(struct construct_run *run, enum construct_fault fault, size_t number)
{
    enum construct_fault right = CONSTRUCT_RIGHT;
    if (__atomic_compare_exchange_n(&run->fault, &right, fault, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
        run->faulty = number;
}

void construct_work(struct construct_run *run, size_t number)
{
    construct_delay(run->delay);
    run->tallies[omp_get_thread_num()].executions++;
    if (run->checked)
        __atomic_fetch_add(&run->marks[number], 1, __ATOMIC_RELAXED);
}

void construct_work_after(struct construct_run *run, size_t number, size_t before)
{
    if (run->checked && before != number &&
        __atomic_load_n(&run->marks[before], __ATOMIC_RELAXED) == 0)
        report(run, CONSTRUCT_EARLY, number);
    construct_work(run, number);
}

/* Threads that are checked stay inside for longer, so that others meet them there. */
void construct_work_alone(struct construct_run *run, size_t number)
{
    enum { LONGER = 5000 };
    if (run->checked && __atomic_fetch_add(&run->inside, 1, __ATOMIC_RELAXED) != 0)
        report(run, CONSTRUCT_TOGETHER, number);
    construct_work(run, number);
    if (run->checked) {
        construct_delay(LONGER);
        __atomic_fetch_sub(&run->inside, 1, __ATOMIC_RELAXED);
    }
}

void construct_expect(struct construct_run *run, size_t number, size_t executions)
{
    if (run->checked && __atomic_load_n(&run->marks[number], __ATOMIC_RELAXED) != executions)
        report(run, CONSTRUCT_EARLY, number);
}

void construct_add(struct construct_run *run)
{
    run->total++;
}
