/* SPDX-License-Identifier: BSD-3-Clause
 * The executable clomp. */
#include "micro/clomp/program.h"

int main(int argc, char **argv)
{
    return program_main(&clomp_program, argc, argv);
}
