/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: one routine of LAPACK that does not come from OpenBLAS. It is never called. */
void dgeqrt_(void);

void dgeqrt_(void)
{
}
