/* SPDX-License-Identifier: BSD-3-Clause
 * Householder reflectors in the compact WY form: Q = H(1) H(2) … = I - V T Vᵀ for a block of them.
 *
 * Reflector j is 1 in row j of a head, the triangle, and V(:,j) in the first rows of a tail, the matrix
 * under it. */
#include <math.h>

#include "common/base/sizes.h"
#include "tests/race/reference/reference.h"

/* A matrix that reflectors are made from, or applied to. */
struct pair {
    double *head;
    size_t ldh;
    double *tail;
    size_t ldt;
};

/* The position of V(:,j) in the tail. */
struct form {
    size_t rows; /* of the tail */
    size_t l;    /* last of them that are upper trapezoidal */
};

struct factor {
    double *T;
    size_t ld;
    size_t ib;
};

static size_t tail_end(struct form f, size_t j)
{
    return f.rows - f.l + smaller(f.l, j + 1);
}

/* LAPACK dlarfg: column j becomes (beta; v), with H (alpha; x) = (beta; 0). Returns tau. */
static double make_reflector(struct form f, struct pair A, size_t j)
{
    double *alpha = &A.head[j + j * A.ldh], *x = A.tail + j * A.ldt;
    double squares = 0.0;
    for (size_t i = 0; i < tail_end(f, j); i++)
        squares += x[i] * x[i];
    if (squares == 0.0)
        return 0.0;
    double beta = -copysign(sqrt(*alpha * *alpha + squares), *alpha);
    double tau = (beta - *alpha) / beta;
    for (size_t i = 0; i < tail_end(f, j); i++)
        x[i] /= *alpha - beta;
    *alpha = beta;
    return tau;
}

/* Applies H(j) to the columns after it. */
static void update_columns(struct form f, struct pair A, size_t j, size_t n, double tau,
                           double *work)
{
    const double *v = A.tail + j * A.ldt;
    for (size_t c = j + 1; c < n; c++) {
        double *x = A.tail + c * A.ldt;
        work[c] = A.head[j + c * A.ldh];
        for (size_t i = 0; i < tail_end(f, j); i++)
            work[c] += v[i] * x[i];
        A.head[j + c * A.ldh] -= tau * work[c];
        for (size_t i = 0; i < tail_end(f, j); i++)
            x[i] -= tau * work[c] * v[i];
    }
}

/* v(p)ᵀ v(j), p < j. */
static double inner_product(struct form f, struct pair A, size_t p, size_t j)
{
    const double *first = A.tail + p * A.ldt, *second = A.tail + j * A.ldt;
    size_t end = smaller(tail_end(f, p), tail_end(f, j));
    double sum = 0.0;
    for (size_t i = 0; i < end; i++)
        sum += first[i] * second[i];
    return sum;
}

/* LAPACK dlarft: column j of its block's T. */
static void extend_factor(struct form f, struct pair A, struct factor t, size_t j, double tau)
{
    size_t first = j / t.ib * t.ib;
    double *column = t.T + j * t.ld;
    for (size_t p = first; p < j; p++)
        column[p - first] = -tau * inner_product(f, A, p, j);
    for (size_t i = 0; i < j - first; i++) {
        double sum = 0.0;
        for (size_t p = i; p < j - first; p++)
            sum += t.T[i + (first + p) * t.ld] * column[p];
        column[i] = sum;
    }
    column[j - first] = tau;
}

/* As LAPACK dtpqrt2, which keeps its taus there meanwhile. */
static void clear_below_diagonal(struct factor t, size_t first, size_t width)
{
    for (size_t i = 1; i < width; i++)
        t.T[i + first * t.ld] = 0.0;
}

static void factor(struct form f, struct pair A, size_t count, size_t n, struct factor t,
                   double *work)
{
    for (size_t j = 0; j < count; j++) {
        double tau = make_reflector(f, A, j);
        update_columns(f, A, j, n, tau, work);
        extend_factor(f, A, t, j, tau);
    }
}

/* Column c of a block's W := Vᵀ C. */
static void gather(struct form f, const double *V, size_t ldv, size_t first, size_t width,
                   struct pair C, size_t c, double *w)
{
    for (size_t j = first; j < first + width; j++) {
        double sum = C.head[j + c * C.ldh];
        for (size_t i = 0; i < tail_end(f, j); i++)
            sum += V[i + j * ldv] * C.tail[i + c * C.ldt];
        w[j - first] = sum;
    }
}

/* Column c of C := C - V W. */
static void scatter(struct form f, const double *V, size_t ldv, size_t first, size_t width,
                    struct pair C, size_t c, const double *w)
{
    for (size_t j = first; j < first + width; j++) {
        C.head[j + c * C.ldh] -= w[j - first];
        for (size_t i = 0; i < tail_end(f, j); i++)
            C.tail[i + c * C.ldt] -= V[i + j * ldv] * w[j - first];
    }
}

/* Blocks in the order of the factorization for Qᵀ, backwards for Q. */
static void apply(struct form f, bool transpose, size_t k, size_t n, const double *V, size_t ldv,
                  const double *T, size_t ldt, size_t ib, struct pair C, double *work)
{
    size_t blocks = (k + ib - 1) / ib;
    for (size_t b = 0; b < blocks; b++) {
        size_t first = (transpose ? b : blocks - 1 - b) * ib;
        size_t width = smaller(ib, k - first);
        for (size_t c = 0; c < n; c++)
            gather(f, V, ldv, first, width, C, c, work + c * width);
        reference_trmm(TRIANGLE_UPPER, transpose, false, width, n, T + first * ldt, ldt, work,
                       width);
        for (size_t c = 0; c < n; c++)
            scatter(f, V, ldv, first, width, C, c, work + c * width);
    }
}

void reference_tpqrt(size_t m, size_t n, size_t l, size_t ib, double *A, size_t lda, double *B,
                     size_t ldb, double *T, size_t ldt, double *work)
{
    struct factor t = {T, ldt, ib};
    factor((struct form){m, l}, (struct pair){A, lda, B, ldb}, n, n, t, work);
    for (size_t first = 0; first < n; first += ib)
        clear_below_diagonal(t, first, smaller(ib, n - first));
}

void reference_tpmqrt(bool transpose, size_t m, size_t n, size_t k, size_t l, size_t ib,
                      const double *V, size_t ldv, const double *T, size_t ldt, double *A,
                      size_t lda, double *B, size_t ldb, double *work)
{
    apply((struct form){m, l}, transpose, k, n, V, ldv, T, ldt, ib, (struct pair){A, lda, B, ldb},
          work);
}
