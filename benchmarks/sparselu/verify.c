/* SPDX-License-Identifier: BSD-3-Clause
 * The residual ‖A - L U‖ / (n ε ‖A‖), in Frobenius' norm, without the factorization's own kernels and
 * from blocks of A that are generated again. LAPACK's testers use the threshold 30 (LAPACK Working Note
 * 41, §7).
 *
 * `full` computes A - L U column of blocks by column of blocks. `fast` multiplies it by PROBES vectors of random
 * signs, row of blocks by row of blocks; see common/run/verify.h. */
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "benchmarks/sparselu/sparselu.h"
#include "common/run/probes.h"

static const double THRESHOLD = 30.0;

/* What the threads share while they verify. */
struct verifier {
    const struct block_matrix *A;        /* L and U */
    const struct block_pattern *pattern; /* the blocks of A */
    struct input values;
    struct tile X, Y; /* probes, and U times them */
    double error;     /* ‖(A - L U) X‖² */
    double input;     /* ‖A‖² */
    bool no_memory;
};

/* The rows of V, which has those of the matrix, that are block row i. */
static struct tile rows_of(const struct verifier *v, struct tile V, size_t i)
{
    size_t rows = block_at(v->A, i, i).rows;
    return tile_part(V, i * v->A->nb, rows);
}

/* A column-major matrix of zeros, to be released with free; a is NULL if out of memory. */
static struct tile allocate(size_t rows, size_t cols)
{
    return tile_view(calloc(rows * cols, sizeof(double)), rows, cols, rows);
}

/* C += alpha A B */
static void add_product(double alpha, struct tile A, struct tile B, struct tile C)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)C.rows, (int)C.cols, (int)A.cols,
                alpha, A.a, (int)A.ld, B.a, (int)B.ld, 1.0, C.a, (int)C.ld);
}

/* V := U V or L V, with the triangle of a diagonal block */
static void multiply_triangle(CBLAS_UPLO uplo, struct tile A, struct tile V)
{
    cblas_dtrmm(CblasColMajor, CblasLeft, uplo, CblasNoTrans,
                uplo == CblasLower ? CblasUnit : CblasNonUnit, (int)V.rows, (int)V.cols, 1.0, A.a,
                (int)A.ld, V.a, (int)V.ld);
}

static void add_squares(struct verifier *v, double error, double input)
{
#pragma omp atomic
    v->error += error;
#pragma omp atomic
    v->input += input;
}

static void report_no_memory(struct verifier *v)
{
#pragma omp atomic write
    v->no_memory = true;
}

/* ---- full ---- */

/* R := A(:,j), R is zero before */
static void generate_column(const struct verifier *v, size_t j, struct tile R)
{
    size_t nb = v->A->nb;
    for (size_t i = 0; i < v->A->nt; i++)
        if (pattern_has(v->pattern, i, j))
            input_tile(&v->values, i * nb, j * nb, rows_of(v, R, i));
}

/* T := U(k,j) */
static void copy_upper(const struct verifier *v, size_t k, size_t j, struct tile T)
{
    tile_copy(block_at(v->A, k, j), T);
    for (size_t c = 0; k == j && c < T.cols; c++)
        for (size_t r = c + 1; r < T.rows; r++)
            T.a[r + c * T.ld] = 0.0;
}

/* R -= L(:,k) T; T is overwritten */
static void subtract_column(const struct verifier *v, size_t k, struct tile T, struct tile R)
{
    const struct block_matrix *A = v->A;
    for (size_t i = k + 1; i < A->nt; i++)
        if (block_address(A, i, k))
            add_product(-1.0, block_at(A, i, k), T, rows_of(v, R, i));
    multiply_triangle(CblasLower, block_at(A, k, k), T);
    struct tile Rk = rows_of(v, R, k);
    for (size_t c = 0; c < T.cols; c++)
        for (size_t r = 0; r < T.rows; r++)
            Rk.a[r + c * Rk.ld] -= T.a[r + c * T.ld];
}

/* Column of blocks j of A - L U. */
static void compare_column(struct verifier *v, size_t j)
{
    const struct block_matrix *A = v->A;
    size_t cols = block_at(A, j, j).cols;
    struct tile R = allocate(A->n, cols), T = allocate(A->nb, cols);
    if (R.a && T.a) {
        generate_column(v, j, R);
        double input = tile_squares(R);
        for (size_t k = 0; k <= j; k++)
            if (block_address(A, k, j)) {
                struct tile Ukj = tile_part(T, 0, block_at(A, k, j).rows);
                copy_upper(v, k, j, Ukj);
                subtract_column(v, k, Ukj, R);
            }
        add_squares(v, tile_squares(R), input);
    } else {
        report_no_memory(v);
    }
    free(R.a);
    free(T.a);
}

static void compare_columns(struct verifier *v, size_t threads)
{
    /* Round robin: later columns have more blocks above the diagonal. */
#pragma omp parallel for schedule(static, 1) num_threads((int)threads)
    for (size_t j = 0; j < v->A->nt; j++)
        compare_column(v, j);
}

/* ---- fast ---- */

/* Y(k) := U(k,:) X */
static void multiply_upper_row(const struct verifier *v, size_t k)
{
    const struct block_matrix *A = v->A;
    struct tile Yk = rows_of(v, v->Y, k);
    tile_copy(rows_of(v, v->X, k), Yk);
    multiply_triangle(CblasUpper, block_at(A, k, k), Yk);
    for (size_t n = k + 1; n < A->nt; n++)
        if (block_address(A, k, n))
            add_product(1.0, block_at(A, k, n), rows_of(v, v->X, n), Yk);
}

/* Z := L(m,:) Y */
static void multiply_lower_row(const struct verifier *v, size_t m, struct tile Z)
{
    const struct block_matrix *A = v->A;
    tile_copy(rows_of(v, v->Y, m), Z);
    multiply_triangle(CblasLower, block_at(A, m, m), Z);
    for (size_t k = 0; k < m; k++)
        if (block_address(A, m, k))
            add_product(1.0, block_at(A, m, k), rows_of(v, v->Y, k), Z);
}

/* Z -= A(m,:) X. Returns ‖A(m,:)‖². */
static double subtract_input_row(const struct verifier *v, size_t m, struct tile scratch,
                                 struct tile Z)
{
    size_t nb = v->A->nb;
    double input = 0.0;
    for (size_t n = 0; n < v->A->nt; n++) {
        if (!pattern_has(v->pattern, m, n))
            continue;
        struct tile Xn = rows_of(v, v->X, n);
        struct tile Amn = tile_submatrix(scratch, 0, 0, Z.rows, Xn.rows);
        input_tile(&v->values, m * nb, n * nb, Amn);
        input += tile_squares(Amn);
        add_product(-1.0, Amn, Xn, Z);
    }
    return input;
}

/* Row of blocks m of (L U - A) X. */
static void compare_row(struct verifier *v, size_t m)
{
    size_t nb = v->A->nb;
    struct tile Z = allocate(block_at(v->A, m, m).rows, PROBES), scratch = allocate(nb, nb);
    if (Z.a && scratch.a) {
        multiply_lower_row(v, m, Z);
        double input = subtract_input_row(v, m, scratch, Z);
        add_squares(v, tile_squares(Z) / (double)PROBES, input);
    } else {
        report_no_memory(v);
    }
    free(Z.a);
    free(scratch.a);
}

static void compare_probes(struct verifier *v, size_t threads)
{
    v->X = allocate(v->A->n, PROBES);
    v->Y = allocate(v->A->n, PROBES);
    v->no_memory = !v->X.a || !v->Y.a;
    if (!v->no_memory)
        probes_fill(v->values.seed, false, 0, v->X);
    size_t rows = v->no_memory ? 0 : v->A->nt;
#pragma omp parallel for schedule(static, 1) num_threads((int)threads)
    for (size_t k = 0; k < rows; k++)
        multiply_upper_row(v, k);
#pragma omp parallel for schedule(static, 1) num_threads((int)threads)
    for (size_t m = 0; m < rows; m++)
        compare_row(v, m);
    free(v->X.a);
    free(v->Y.a);
}

bool sparselu_verify(struct problem *p, enum check check, struct verification *result)
{
    const struct sparselu_factors *f = p->factors;
    struct verifier v = {.A = &f->blocks, .pattern = &f->pattern, .values = sparselu_values(p)};
    if (check == CHECK_FULL)
        compare_columns(&v, p->threads);
    else
        compare_probes(&v, p->threads);
    double scale = (double)p->n * DBL_EPSILON * sqrt(v.input);
    verification_add(result, "A-LU", sqrt(v.error) / scale, THRESHOLD);
    return !v.no_memory;
}
