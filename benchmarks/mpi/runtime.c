/* SPDX-License-Identifier: BSD-3-Clause
 * By a routine that only libomp and its relatives have. */
#include "benchmarks/mpi/runtime.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static void *find_blocktime(void)
{
    return dlsym(RTLD_DEFAULT, "kmp_get_blocktime");
}

bool runtime_is_libomp(void)
{
    return find_blocktime() != NULL;
}

int runtime_blocktime(void)
{
    int (*milliseconds)(void) = NULL;
    void *found = find_blocktime();
    memcpy(&milliseconds, &found, sizeof milliseconds);
    return milliseconds ? milliseconds() : 0;
}
