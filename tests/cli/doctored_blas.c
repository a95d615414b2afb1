/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: overrides what OpenBLAS reports, to stand for builds and processors that the machine does
 * not have.
 *
 *   DOCTORED_CORE=NAME   the kernels that it chooses where OPENBLAS_CORETYPE names none
 *   DOCTORED_STUBBORN=1  it uses them whatever OPENBLAS_CORETYPE names
 *   DOCTORED_VERSION=V   its version
 *   DOCTORED_PARALLEL=N  the kind of threading: 0 serial, 1 pthread, 2 OpenMP */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Seen by the dynamic linker only. NOLINTBEGIN(misc-use-internal-linkage) */
char *openblas_get_corename(void);
char *openblas_get_config(void);
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
    char *chosen = getenv("DOCTORED_CORE");
    char *asked = getenv("OPENBLAS_CORETYPE");
    if (!chosen)
        return real("openblas_get_corename").text();
    return asked && !getenv("DOCTORED_STUBBORN") ? asked : chosen;
}

char *openblas_get_config(void)
{
    static char text[64];
    const char *version = getenv("DOCTORED_VERSION");
    if (!version)
        return real("openblas_get_config").text();
    snprintf(text, sizeof text, "OpenBLAS %s", version);
    return text;
}

int openblas_get_parallel(void)
{
    const char *kind = getenv("DOCTORED_PARALLEL");
    return kind ? atoi(kind) : real("openblas_get_parallel").number();
}
