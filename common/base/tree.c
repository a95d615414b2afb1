/* SPDX-License-Identifier: BSD-3-Clause
 * From the link that the system has to each process's program. */
#include "common/base/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tree_file(const char *name, char path[PATH_MAX])
{
    char program[PATH_MAX], guess[2 * PATH_MAX];
    path[0] = '\0';
    if (!realpath("/proc/self/exe", program))
        return false;
    for (int level = 0; level < 2; level++)
        if (strrchr(program, '/'))
            *strrchr(program, '/') = '\0';
    snprintf(guess, sizeof guess, "%s/%s", program, name);
    if (realpath(guess, path))
        return true;
    path[0] = '\0';
    return false;
}
