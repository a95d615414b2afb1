/* SPDX-License-Identifier: BSD-3-Clause
 * The executable clomp-mpi: CLOMPI. */
#include "micro/clomp/program.h"
#include "micro/mpi/presence.h"

static const struct presence clompi = {
    .base = &clomp_program,
    .name = "clomp-mpi",
    .summary = "CLOMP with MPI present, silent or with a message around a ring at each deposit",
    .example = "-c static,manual --message silent,ring -o clompi.jsonl (by mpirun -n 2)",
    .send = clomp_send_at_deposits};

int main(int argc, char **argv)
{
    return presence_main(&clompi, argc, argv);
}
