/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: one routine of LAPACK that does not come from OpenBLAS. It is never called. */
void dgeqrt_(void); /* for the dynamic linker; NOLINT(misc-use-internal-linkage) */

void dgeqrt_(void)
{
}
