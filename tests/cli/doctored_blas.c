/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: overrides what OpenBLAS reports, to stand for builds and processors that the machine does
 * not have.
 *
 *   DOCTORED_CORE=old        slow kernels, unless OPENBLAS_CORETYPE names others
 *   DOCTORED_CORE=stubborn   slow kernels, whatever OPENBLAS_CORETYPE names
 *   DOCTORED_PARALLEL=N      the kind of threading: 0 serial, 1 pthread, 2 OpenMP */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Seen by the dynamic linker only. NOLINTBEGIN(misc-use-internal-linkage) */
char *openblas_get_corename(void);
int openblas_get_parallel(void);
/* NOLINTEND(misc-use-internal-linkage) */

union function {
    void *address;
    char *(*text)(void);
    int (*number)(void);
};

static union function real(const char *name)
{
    return (union function){.address = dlsym(RTLD_NEXT, name)};
}

char *openblas_get_corename(void)
{
    static char slow[] = "Prescott";
    const char *mode = getenv("DOCTORED_CORE");
    char *asked = getenv("OPENBLAS_CORETYPE");
    if (!mode)
        return real("openblas_get_corename").text();
    return strcmp(mode, "old") == 0 && asked ? asked : slow;
}

int openblas_get_parallel(void)
{
    const char *kind = getenv("DOCTORED_PARALLEL");
    return kind ? atoi(kind) : real("openblas_get_parallel").number();
}
