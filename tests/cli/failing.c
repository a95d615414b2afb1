/* SPDX-License-Identifier: BSD-3-Clause
 * A benchmark that leaves its matrix unchanged, so that every check fails, and whose processor has no code
 * of our own. */
#include "cholesky/cholesky.h"
#include "common/computation/computation.h"
#include "kernels/kernels.h"

static void do_nothing(struct problem *p)
{
    (void)p;
}

/* From the second run on, column 3 cannot be eliminated. */
static void stop(struct problem *p)
{
    static size_t runs;
    if (runs++ > 0)
        execution_fail(p->execution, 3);
}

/* In the first run alone it cannot. */
static void start(struct problem *p)
{
    static size_t runs;
    if (runs++ == 0)
        execution_fail(p->execution, 3);
}

static size_t figures(const struct problem *p, double seconds, struct figure *figures)
{
    (void)p;
    (void)seconds;
    figures[0] = (struct figure){"answer", 42};
    return 1;
}

static const char *missing(enum kernel_set set)
{
    return set == KERNELS_TUNED ? "it is for another processor" : NULL;
}

static const struct variant variants[] = {{.name = "depend",
                                           .summary = "does nothing",
                                           .digest_group = "cholesky",
                                           .input = INPUT_SPD,
                                           .tasks_per_update = 1,
                                           .submit = do_nothing},
                                          {.name = "stops",
                                           .summary = "comes to no end but once",
                                           .digest_group = "stops",
                                           .input = INPUT_SPD,
                                           .tasks_per_update = 1,
                                           .submit = stop},
                                          {.name = "starts",
                                           .summary = "comes to no end once",
                                           .digest_group = "starts",
                                           .input = INPUT_SPD,
                                           .tasks_per_update = 1,
                                           .submit = start}};

int main(int argc, char **argv)
{
    struct benchmark failing = cholesky;
    failing.variants = variants;
    failing.variant_count = sizeof variants / sizeof *variants;
    failing.kernels_missing = missing;
    failing.figures = figures;
    return drive(&failing, argc, argv);
}
