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

static const char *missing(enum kernel_set set)
{
    return set == KERNELS_TUNED ? "it is for another processor" : NULL;
}

static const struct variant variants[] = {{.name = "depend",
                                           .summary = "does nothing",
                                           .digest_group = "cholesky",
                                           .input = INPUT_SPD,
                                           .tasks_per_update = 1,
                                           .submit = do_nothing}};

int main(int argc, char **argv)
{
    struct benchmark failing = cholesky;
    failing.variants = variants;
    failing.variant_count = 1;
    failing.kernels_missing = missing;
    return drive(&failing, argc, argv);
}
