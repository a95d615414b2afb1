/* SPDX-License-Identifier: BSD-3-Clause
 * The executable task-overhead. */
#include "micro/program.h"

int main(int argc, char **argv)
{
    return program_main(&task_overhead, argc, argv);
}
