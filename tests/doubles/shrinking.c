/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: a runtime that says of its first teams that they have all their threads, and of later ones that they have
 * one.
 *
 *   POLLUX_DOUBLE_TEAMS=2   how many are the first */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int teams;

/* Seen by the dynamic linker only. NOLINTBEGIN(misc-use-internal-linkage) */
__attribute__((visibility("default"))) int omp_get_num_threads(void);
/* NOLINTEND(misc-use-internal-linkage) */

int omp_get_num_threads(void)
{
    const char *first = getenv("POLLUX_DOUBLE_TEAMS");
    int (*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "omp_get_num_threads");
    return first && atomic_fetch_add(&teams, 1) < atoi(first) ? real() : 1;
}
