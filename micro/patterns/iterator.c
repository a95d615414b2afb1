/* SPDX-License-Identifier: BSD-3-Clause
 * As independent.c, with the items that are read in an iterator. */
#include "micro/patterns/patterns.h"

#ifdef POLLUX_HAVE_DEPEND_ITERATOR

static void create(struct run *run)
{
    size_t tasks = run->shape->tasks, read = run->shape->items - 1, d = run->distance;
    for (size_t i = 0; i < tasks; i++) {
        char *own = run_address(run, i);
        char *p = run_address(run, tasks + i * read);
#pragma omp task firstprivate(run, i) depend(inout : own[0]) \
    depend(iterator(size_t j = 0 : read), in : p[j * d])
        run_task(run, i);
    }
}

#endif

const struct pattern iterator = {.name = "iterator",
                                 .summary = "as independent, the items in an iterator",
                                 .needs = CAPABILITY_MANY_ITEMS | CAPABILITY_ITERATORS,
                                 .chosen_items = true,
                                 .addresses = independent_addresses,
                                 .roots = independent_roots,
                                 .define = define_independent,
#ifdef POLLUX_HAVE_DEPEND_ITERATOR
                                 .create = create
#endif
};
