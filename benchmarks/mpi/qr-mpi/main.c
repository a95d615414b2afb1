/* SPDX-License-Identifier: BSD-3-Clause
 * The `qr-mpi` executable. */
#include "benchmarks/mpi/qr-mpi/qr_mpi.h"
#include "benchmarks/mpi/world.h"
#include "common/computation/computation.h"

int main(int argc, char **argv)
{
    world_before();
    return drive(&qr_mpi, argc, argv);
}
