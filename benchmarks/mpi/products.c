/* SPDX-License-Identifier: BSD-3-Clause
 * Tiles that live here are multiplied by CBLAS alone, without any of the factorizations' own kernels. */
#include "benchmarks/mpi/products.h"

#include <cblas.h>
#include <mpi.h>

void spread_sum(struct tile Y)
{
    for (size_t j = 0; j < Y.cols; j++)
        MPI_Allreduce(MPI_IN_PLACE, Y.a + j * Y.ld, (int)Y.rows, MPI_DOUBLE, MPI_SUM,
                      MPI_COMM_WORLD);
}

void add_tile_product(struct tile T, bool transposed, size_t row, size_t col, struct tile X,
                      struct tile Y)
{
    size_t from = transposed ? row : col, to = transposed ? col : row;
    cblas_dgemm(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans,
                (int)(transposed ? T.cols : T.rows), (int)Y.cols,
                (int)(transposed ? T.rows : T.cols), 1.0, T.a, (int)T.ld, X.a + from, (int)X.ld,
                1.0, Y.a + to, (int)Y.ld);
}

/* The product with a tile on the diagonal, whose rows of Y nothing else has been added to on this rank: callers see to it. */
static void set_triangle(struct tile T, enum triangle triangle, bool transposed, size_t row,
                         struct tile X, struct tile Y)
{
    tile_copy(tile_part(X, row, T.rows), tile_part(Y, row, T.rows));
    cblas_dtrmm(CblasColMajor, CblasLeft, triangle == UPPER ? CblasUpper : CblasLower,
                transposed ? CblasTrans : CblasNoTrans,
                triangle == UNIT_LOWER ? CblasUnit : CblasNonUnit, (int)T.rows, (int)Y.cols, 1.0,
                T.a, (int)T.ld, Y.a + row, (int)Y.ld);
}

/* Triangles on the diagonal come first, since they overwrite. */
void spread_multiply(const struct problem *p, enum triangle triangle, bool transposed,
                     struct tile X, struct tile Y)
{
    const struct tile_matrix *A = p->A;
    tile_clear(Y);
    for (size_t k = 0; k < A->nt; k++)
        if (is_here(k, k))
            set_triangle(tile_at(A, k, k), triangle, transposed, k * A->nb, X, Y);
    for (size_t j = first_column_here(0); j < A->nt; j += world()->columns)
        for (size_t i = first_row_here(0); i < A->mt; i += world()->rows)
            if (triangle == UPPER ? i < j : i > j)
                add_tile_product(tile_at(A, i, j), transposed, i * A->mb, j * A->nb, X, Y);
    spread_sum(Y);
}
