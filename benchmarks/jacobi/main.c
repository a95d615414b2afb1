/* SPDX-License-Identifier: BSD-3-Clause
 * The `jacobi` executable. */
#include "benchmarks/jacobi/jacobi.h"
#include "common/computation/computation.h"

int main(int argc, char **argv)
{
    return drive(&jacobi, argc, argv);
}
