/* SPDX-License-Identifier: BSD-3-Clause
 * The `cholesky-mpi` executable. */
#include "benchmarks/mpi/cholesky-mpi/cholesky_mpi.h"
#include "benchmarks/mpi/world.h"
#include "common/computation/computation.h"

int main(int argc, char **argv)
{
    world_before();
    return drive(&cholesky_mpi, argc, argv);
}
