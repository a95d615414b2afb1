/* SPDX-License-Identifier: BSD-3-Clause
 * The executable task-overhead-mpi. */
#include "micro/task_overhead.h"
#include "micro/mpi/presence.h"

static const struct presence overheads = {
    .base = &task_overhead,
    .name = "task-overhead-mpi",
    .summary = "what a task with dependences costs in the runtime while MPI is present",
    .example = "-p chain,independent --level multiple -o overheads.jsonl (by mpirun -n 1)"};

int main(int argc, char **argv)
{
    return presence_main(&overheads, argc, argv);
}
