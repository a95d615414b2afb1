/* SPDX-License-Identifier: BSD-3-Clause
 * The `lu-mpi` executable. */
#include "benchmarks/mpi/lu-mpi/lu_mpi.h"
#include "benchmarks/mpi/world.h"
#include "common/computation/computation.h"

int main(int argc, char **argv)
{
    world_before();
    return drive(&lu_mpi, argc, argv);
}
