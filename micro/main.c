/* SPDX-License-Identifier: BSD-3-Clause
 * The executable task-overhead. */
#include "micro/task_overhead.h"

int main(int argc, char **argv)
{
    return program_main(&task_overhead, argc, argv);
}
