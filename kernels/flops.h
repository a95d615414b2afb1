/* SPDX-License-Identifier: BSD-3-Clause
 * Operation counts of the factorizations: LAPACK Working Note 41 (Anderson, Dongarra, Ostrouchov:
 * "Installation Guide for LAPACK"), appendix C; a multiplication and an addition count one each. */
#ifndef POLLUX_KERNELS_FLOPS_H
#define POLLUX_KERNELS_FLOPS_H

/** Cholesky of an n × n matrix: n³/3 + n²/2 + n/6 (m is ignored). */
double flops_potrf(double m, double n);

/** LU of an m × n matrix. */
double flops_getrf(double m, double n);

/** QR of an m × n matrix. */
double flops_geqrf(double m, double n);

#endif
