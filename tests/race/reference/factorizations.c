/* SPDX-License-Identifier: BSD-3-Clause
 * LU of one matrix, unblocked. */
#include <math.h>

#include "tests/race/reference/reference.h"

/* The row of the first element of largest magnitude in column j, from row j down. */
static size_t pivot_row(size_t m, const double *A, size_t lda, size_t j)
{
    size_t best = j;
    for (size_t i = j + 1; i < m; i++)
        if (fabs(A[i + j * lda]) > fabs(A[best + j * lda]))
            best = i;
    return best;
}

static void exchange_rows(size_t n, double *A, size_t lda, size_t first, size_t second)
{
    for (size_t j = 0; first != second && j < n; j++) {
        double value = A[first + j * lda];
        A[first + j * lda] = A[second + j * lda];
        A[second + j * lda] = value;
    }
}

static void eliminate(size_t m, size_t n, double *A, size_t lda, size_t k)
{
    for (size_t i = k + 1; i < m; i++)
        A[i + k * lda] /= A[k + k * lda];
    for (size_t j = k + 1; j < n; j++)
        for (size_t i = k + 1; i < m; i++)
            A[i + j * lda] -= A[i + k * lda] * A[k + j * lda];
}

int reference_getrf(size_t m, size_t n, double *A, size_t lda, int *pivots)
{
    int info = 0;
    for (size_t k = 0; k < (m < n ? m : n); k++) {
        size_t row = pivot_row(m, A, lda, k);
        pivots[k] = (int)row + 1;
        exchange_rows(n, A, lda, k, row);
        if (A[k + k * lda] != 0.0)
            eliminate(m, n, A, lda, k);
        else if (info == 0)
            info = (int)k + 1;
    }
    return info;
}

void reference_laswp(size_t n, double *A, size_t lda, size_t first, size_t last, const int *pivots)
{
    for (size_t i = first; i < last; i++)
        exchange_rows(n, A, lda, i, (size_t)pivots[i] - 1);
}
