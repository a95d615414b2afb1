/* SPDX-License-Identifier: BSD-3-Clause
 * What LU stores besides the matrix, and the product of its factors. */
#include <stdlib.h>

#include "common/base/sizes.h"
#include "common/matrix/digest.h"
#include "common/matrix/factor_product.h"
#include "kernels/kernels.h"
#include "lu/lu.h"

const char lu_failure[] = "the pivot of column %lld is zero or not finite: the matrix or, without "
                          "pivoting, a leading block of it is singular, or it contains a NaN or an "
                          "infinity";

double *lu_column(const struct problem *p, size_t n)
{
    const struct lu_factors *f = p->factors;
    return &f->standins[n + 1];
}

double *lu_column_before(const struct problem *p, size_t k)
{
    const struct lu_factors *f = p->factors;
    return &f->standins[k];
}

size_t lu_factor_bytes(const struct problem *p)
{
    size_t pivots = smaller(p->m, p->n) * sizeof(int);
    size_t panel = tile_leading_dimension(p->m) * smaller(p->nb, p->n) * sizeof(double);
    return pivots + panel;
}

size_t lu_workspace_doubles(const struct problem *p)
{
    return kernel_laswp_workspace_doubles(p->m);
}

int lu_create(struct problem *p)
{
    struct lu_factors *f = calloc(1, sizeof *f);
    p->factors = f;
    if (!f)
        return -1;
    f->pivots = calloc(smaller(p->m, p->n), sizeof *f->pivots);
    f->panel = calloc(kernel_getrf_panel_doubles(p->A), sizeof *f->panel);
    f->standins = calloc(p->A->nt + 1, sizeof *f->standins);
    return f->pivots && f->panel && f->standins ? 0 : -1;
}

size_t lu_rows_bytes(const struct problem *p, size_t others)
{
    return panel_rows_bytes(smaller(p->nb, p->n), others);
}

int lu_create_rows(struct problem *p, size_t others)
{
    struct lu_factors *f = p->factors;
    return panel_rows_create(&f->rows, p->A->nb, others);
}

void lu_destroy(struct problem *p)
{
    struct lu_factors *f = p->factors;
    if (!f)
        return;
    free(f->pivots);
    free(f->panel);
    free(f->standins);
    panel_rows_destroy(&f->rows);
    free(f);
    p->factors = NULL;
}

static void swap_rows(struct tile Y, size_t first, size_t second)
{
    for (size_t j = 0; first != second && j < Y.cols; j++) {
        double *column = Y.a + j * Y.ld, value = column[first];
        column[first] = column[second];
        column[second] = value;
    }
}

void lu_no_exchanges(struct problem *p)
{
    struct lu_factors *f = p->factors;
    for (size_t i = 0; i < smaller(p->m, p->n); i++)
        f->pivots[i] = (int)i + 1;
}

void lu_exchange_back(const struct problem *p, struct tile Y)
{
    const struct lu_factors *f = p->factors;
    for (size_t i = smaller(p->m, p->n); i-- > 0;)
        swap_rows(Y, i, (size_t)f->pivots[i] - 1);
}

/* Y := Pᵀ L (U X) */
void lu_multiply(struct problem *p, struct tile X, struct tile Y)
{
    multiply_upper(p->A, X, Y);
    multiply_unit_lower(p->A, Y);
    lu_exchange_back(p, Y);
}

uint64_t lu_digest(const struct problem *p)
{
    const struct lu_factors *f = p->factors;
    return digest_integers(digest_matrix(p->A, DIGEST_ALL, p->threads), f->pivots,
                           smaller(p->m, p->n));
}
