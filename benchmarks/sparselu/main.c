/* SPDX-License-Identifier: BSD-3-Clause
 * The `sparselu` executable. */
#include "benchmarks/sparselu/sparselu.h"
#include "common/computation/computation.h"

int main(int argc, char **argv)
{
    return drive(&sparselu, argc, argv);
}
