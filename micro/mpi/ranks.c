/* SPDX-License-Identifier: BSD-3-Clause
 * A fault of any rank becomes one of all. */
#include "micro/mpi/ranks.h"

#include <mpi.h>
#include <stdlib.h>

void ranks_begin(int level, const char *remedy, struct program_options *options)
{
    if (!world_begin(level, remedy))
        program_be_silent(options);
}

static void agree_on_fault(struct result *result)
{
    int ranks = world()->ranks;
    char (*faults)[RESULT_FAULT_SIZE] = calloc((size_t)ranks, sizeof *faults);
    if (!faults)
        world_fail(POLLUX_MACHINE, "no memory for what %d ranks say", ranks);
    MPI_Allgather(result->fault, RESULT_FAULT_SIZE, MPI_CHAR, faults, RESULT_FAULT_SIZE, MPI_CHAR,
                  MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        if (faults[r][0])
            result_fail(result, "rank %d: %s", r, faults[r]);
    free(faults);
}

void ranks_conclude(struct result *result, struct sent sent)
{
    uint64_t own[] = {sent.messages, sent.bytes}, all[2];
    agree_on_fault(result);
    MPI_Allreduce(own, all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    result->mpi = world_describe();
    json_object_set_new(result->mpi, "messages", json_integer((json_int_t)all[0]));
    json_object_set_new(result->mpi, "bytes", json_integer((json_int_t)all[1]));
}
