/* SPDX-License-Identifier: BSD-3-Clause
 * Multiplications plus additions, as tabulated in the working note. */
#include "kernels/flops.h"

const char LAWN_41[] =
    "Anderson, Dongarra, Ostrouchov, Installation Guide for LAPACK (LAPACK Working "
    "Note 41, 1992)";
const char TILED_QR[] =
    "Buttari, Langou, Kurzak, Dongarra, A class of parallel tiled linear algebra "
    "algorithms for multicore architectures (Parallel Computing 35(1), 2009)";
const char TREE_QR[] = "Hadri, Ltaief, Agullo, Dongarra, Tile QR factorization with parallel panel "
                       "processing for multicore architectures (IPDPS 2010)";

double flops_potrf(double m, double n)
{
    (void)m;
    double multiplications = n * (n * (n / 6 + 0.5) + 1.0 / 3);
    double additions = n * (n * n / 6 - 1.0 / 6);
    return multiplications + additions;
}

double flops_getrf(double m, double n)
{
    double a = m < n ? n : m; /* the longer side */
    double b = m < n ? m : n;
    double multiplications = 0.5 * b * (b * (a - b / 3 - 1) + a) + 2.0 / 3 * b;
    double additions = 0.5 * b * (b * (a - b / 3) - a) + 1.0 / 6 * b;
    return multiplications + additions;
}

double flops_geqrf(double m, double n)
{
    if (m >= n)
        return n * (n * (0.5 - n / 3 + m) + m + 23.0 / 6) + n * (n * (0.5 - n / 3 + m) + 5.0 / 6);
    return m * (m * (-0.5 - m / 3 + n) + 2 * n + 23.0 / 6) +
           m * (m * (-0.5 - m / 3 + n) + n + 5.0 / 6);
}

double flops_of_getrf(struct call_sizes s)
{
    return flops_getrf(s.m, s.n);
}

double flops_of_product(struct call_sizes s)
{
    return 2.0 * s.m * s.n * s.k;
}

double bytes_of_matrix(struct call_sizes s)
{
    return matrix_bytes(s.m, s.n);
}

double bytes_of_copy(struct call_sizes s)
{
    return 2 * matrix_bytes(s.m, s.n);
}

double bytes_of_exchange(struct call_sizes s)
{
    return 2 * matrix_bytes(s.k, s.n);
}

double bytes_of_product(struct call_sizes s)
{
    return matrix_bytes(s.m, s.k) + matrix_bytes(s.k, s.n) + matrix_bytes(s.m, s.n);
}

double bytes_of_update(struct call_sizes s)
{
    return matrix_bytes(s.m, s.k) + matrix_bytes(s.m, s.n);
}

double bytes_of_solve(struct call_sizes s)
{
    return matrix_bytes(s.n, s.n) + matrix_bytes(s.m, s.n);
}
