/* SPDX-License-Identifier: BSD-3-Clause
 * Each solve: solve with the first part, update the rest by a product, solve with the second part. */
#include "kernels/dense/triangular_solve.h"

#include <cblas.h>

#include "common/base/sizes.h"
#include "kernels/dense/choice.h"
#include "kernels/dense/openblas_core.h"
#include "kernels/dense/product.h"

/* Up to this order dtrsm itself is used. Our own code leaves few orders to it. */
static size_t leaf(size_t with_openblas)
{
    return own_code() ? 16 : with_openblas;
}

/* Whether our own code has solves of that order. */
static bool has_own(size_t n)
{
    return n <= own_code()->solve_order && n % VECTOR_MULTIPLE == 0;
}

/* The first part of a split: an order that our own code has, or a half, a multiple of a leaf's so that dgemm's
 * kernels use full vectors. */
static size_t first_part(size_t n, size_t leaf)
{
    size_t multiple = n - n % VECTOR_MULTIPLE;
    return own_code() && has_own(multiple) ? multiple : ceiling(n / 2, leaf) * leaf;
}

void solve_right(enum transpose op, struct tile T, struct tile B)
{
    size_t n = B.cols;
    if (own_code() && has_own(n)) {
        own_code()->solve_right(op, &T, &B);
        return;
    }
    size_t last = leaf(openblas_core()->solve_right);
    if (n <= last) {
        cblas_dtrsm(CblasColMajor, CblasRight, op == TRANSPOSE ? CblasLower : CblasUpper,
                    op == TRANSPOSE ? CblasTrans : CblasNoTrans, CblasNonUnit, (int)B.rows, (int)n,
                    1.0, T.a, (int)T.ld, B.a, (int)B.ld);
        return;
    }
    size_t h = first_part(n, last), rest = n - h;
    struct tile B1 = tile_submatrix(B, 0, 0, B.rows, h), B2 = tile_submatrix(B, 0, h, B.rows, rest);
    solve_right(op, tile_submatrix(T, 0, 0, h, h), B1);
    if (op == TRANSPOSE)
        subtract_product(B1, TRANSPOSE, tile_submatrix(T, h, 0, rest, h), B2);
    else
        subtract_product(B1, NO_TRANSPOSE, tile_submatrix(T, 0, h, h, rest), B2);
    solve_right(op, tile_submatrix(T, h, h, rest, rest), B2);
}

void solve_left_unit_lower(struct tile L, struct tile B)
{
    size_t n = B.rows;
    if (own_code() && has_own(n)) {
        own_code()->solve_left_unit_lower(&L, &B);
        return;
    }
    size_t last = leaf(openblas_core()->solve_left);
    if (n <= last) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, (int)n,
                    (int)B.cols, 1.0, L.a, (int)L.ld, B.a, (int)B.ld);
        return;
    }
    size_t h = first_part(n, last), rest = n - h;
    struct tile B1 = tile_submatrix(B, 0, 0, h, B.cols), B2 = tile_submatrix(B, h, 0, rest, B.cols);
    solve_left_unit_lower(tile_submatrix(L, 0, 0, h, h), B1);
    subtract_product(tile_submatrix(L, h, 0, rest, h), NO_TRANSPOSE, B1, B2);
    solve_left_unit_lower(tile_submatrix(L, h, h, rest, rest), B2);
}
