/* SPDX-License-Identifier: BSD-3-Clause
 * A chain whose tasks name its address by a depend object. */
#include <omp.h>

#include "micro/patterns/patterns.h"

#ifdef POLLUX_HAVE_DEPOBJ

static void create(struct run *run)
{
    char *a = run_address(run, 0);
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : a[0])
    for (size_t i = 0; i < run->shape->tasks; i++) {
#pragma omp task firstprivate(run, i) depend(depobj : object)
        run_task(run, i);
    }
#pragma omp depobj(object) destroy
}

#endif

const struct pattern depobj = {.name = "depobj",
                               .summary = "as chain, the address in a depend object",
                               .needs = CAPABILITY_DEPEND_OBJECTS,
                               .addresses = one_address,
                               .roots = first_address,
                               .define = define_chain,
#ifdef POLLUX_HAVE_DEPOBJ
                               .create = create
#endif
};
