/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded, with OMP_MAX_ACTIVE_LEVELS=1 in the environment: a runtime that claims to allow parallel regions inside
 * others, and gives them one thread without a word. */

/* Seen by the dynamic linker only. NOLINTBEGIN(misc-use-internal-linkage) */
__attribute__((visibility("default"))) int omp_get_max_active_levels(void);
/* NOLINTEND(misc-use-internal-linkage) */

int omp_get_max_active_levels(void)
{
    return 2;
}
