/* SPDX-License-Identifier: BSD-3-Clause
 * All libraries are mapped before the first constructor runs: the answer is known then. */
#include "meant.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool runtime_is_meant(void)
{
    const char *part = getenv("POLLUX_DOUBLE_ONLY");
    void *function = dlsym(RTLD_DEFAULT, "omp_get_thread_num");
    char path[PATH_MAX];
    Dl_info found;
    if (!part)
        return true;
    if (!function || !dladdr(function, &found) || !realpath(found.dli_fname, path))
        return false;
    return strstr(path, part) != NULL;
}
