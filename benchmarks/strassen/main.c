/* SPDX-License-Identifier: BSD-3-Clause
 * The `strassen` executable. */
#include "benchmarks/strassen/strassen.h"
#include "common/computation/computation.h"

int main(int argc, char **argv)
{
    return drive(&strassen, argc, argv);
}
