/* SPDX-License-Identifier: BSD-3-Clause
 * A benchmark that leaves its matrix unchanged, so that every check fails. */
#include "cholesky/cholesky.h"
#include "common/driver/driver.h"

static void do_nothing(struct problem *p)
{
    (void)p;
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
    return drive(&failing, argc, argv);
}
