/* SPDX-License-Identifier: BSD-3-Clause
 * What QR stores besides the matrix, and the product of its factors. */
#include <stdint.h>
#include <stdlib.h>

#include "common/base/sizes.h"
#include "common/matrix/digest.h"
#include "common/matrix/factor_product.h"
#include "common/run/verify.h"
#include "kernels/kernels.h"
#include "qr/qr.h"

double *qr_T(const struct problem *p, size_t m, size_t k)
{
    const struct qr_factors *f = p->factors;
    return tile_address(f->T, m, k);
}

double *qr_S(const struct problem *p, size_t m, size_t k)
{
    const struct qr_factors *f = p->factors;
    return tile_address(f->S, m, k);
}

const char qr_domains_summary[] =
    "domains of rows of tiles, each reduced by a flat tree before the "
    "binary one; 0: one for each row";

void qr_use_domains(struct problem *p, size_t domains)
{
    struct qr_factors *f = p->factors;
    f->domains = domains == 0 ? SIZE_MAX : domains;
}

size_t qr_T_columns(const struct problem *p)
{
    return kernel_qr_T_columns(smaller(p->mb, p->m), smaller(p->nb, p->n), p->ib);
}

/* Of tiles with more columns than those of A all have the same number. */
size_t qr_all_T_columns(const struct problem *p)
{
    size_t nb = smaller(p->nb, p->n), columns = qr_T_columns(p);
    return columns == nb ? p->n : ceiling(p->n, nb) * columns;
}

/* Pages of S are taken only by the tree, and of T only on and below the diagonal: half. */
size_t qr_factor_bytes(const struct problem *p)
{
    size_t rows = ceiling(p->m, p->mb) * p->ib;
    return tile_matrix_bytes(rows, p->n, p->ib, p->nb) / 2 +
           tile_matrix_bytes(rows, qr_all_T_columns(p), p->ib, qr_T_columns(p)) / 2;
}

/* The verification applies Q to PROBES columns, even where tiles are narrower. */
size_t qr_workspace_doubles(const struct problem *p)
{
    size_t columns = smaller(p->nb, p->n);
    return kernel_qr_workspace_doubles(larger(columns, PROBES), p->ib);
}

int qr_create(struct problem *p)
{
    struct qr_factors *f = calloc(1, sizeof *f);
    p->factors = f;
    if (!f)
        return -1;
    qr_use_domains(p, 1);
    size_t rows = p->A->mt * p->ib;
    f->T = tile_matrix_create(rows, qr_all_T_columns(p), p->ib, qr_T_columns(p), p->interleave);
    f->S = tile_matrix_create(rows, p->n, p->ib, p->A->nb, p->interleave);
    return f->T && f->S ? 0 : -1;
}

void qr_destroy(struct problem *p)
{
    struct qr_factors *f = p->factors;
    if (!f)
        return;
    tile_matrix_destroy(f->T);
    tile_matrix_destroy(f->S);
    free(f);
    p->factors = NULL;
}

/* Y := Q (R X) */
void qr_multiply(struct problem *p, struct tile X, struct tile Y)
{
    multiply_upper(p->A, X, Y);
    qr_apply(p, NO_TRANSPOSE, Y);
}

void qr_round_trip(struct problem *p, struct tile X)
{
    qr_apply(p, NO_TRANSPOSE, X);
    qr_apply(p, TRANSPOSE, X);
}

uint64_t qr_digest(const struct problem *p)
{
    return digest_matrix(p->A, DIGEST_ALL, p->threads);
}
