/* SPDX-License-Identifier: BSD-3-Clause
 * ScaLAPACK's pdpotrf, pdgetrf or pdgeqrf on the suite's random matrices: what the factorizations over MPI are compared
 * with. One line of JSON for each repetition, by rank 0.
 *
 *     mpirun -n P*Q scalapack-reference potrf|getrf|geqrf N NB P Q REPETITIONS
 *
 * The threads of a rank are OPENBLAS_NUM_THREADS. A first repetition is not reported. Each is checked by solving a system
 * whose residual is judged as LAPACK's tests judge theirs. Exit status 1: one was too large. */
#include <float.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/matrix/input.h"
#include "docs/evaluation/reference.h"
#include "kernels/flops.h"

enum { DESCRIPTION = 9 };

int openblas_get_num_threads(void);

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *nb, const int *place, const int *first, const int *places);
void descinit_(int *d, const int *m, const int *n, const int *mb, const int *nb, const int *row,
               const int *column, const int *context, const int *ld, int *info);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *d,
              int *info);
void pdpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *ia,
              const int *ja, const int *d, double *b, const int *ib, const int *jb, const int *db,
              int *info);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *d,
              int *pivots, int *info);
void pdgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *ia,
              const int *ja, const int *d, const int *pivots, double *b, const int *ib,
              const int *jb, const int *db, int *info);
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *d,
              double *tau, double *work, const int *size, int *info);
void pdormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k,
              const double *a, const int *ia, const int *ja, const int *d, const double *tau,
              double *c, const int *ic, const int *jc, const int *dc, double *work, const int *size,
              int *info);
void pdtrtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs,
              const double *a, const int *ia, const int *ja, const int *d, double *b, const int *ib,
              const int *jb, const int *db, int *info);
void pdgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
             const int *ia, const int *ja, const int *d, const double *x, const int *ix,
             const int *jx, const int *dx, const int *incx, const double *beta, double *y,
             const int *iy, const int *jy, const int *dy, const int *incy);

static const int ZERO = 0, ONE = 1;
static const double MINUS = -1.0, PLUS = 1.0, NOTHING = 0.0;

/* A matrix and three vectors over the ranks. */
struct system {
    int n, nb, rows, columns, row, column;
    int here_rows, here_columns; /* of the matrix on this rank */
    int ld, d[DESCRIPTION], dv[DESCRIPTION];
    double *A, *kept, *x, *b, *tau, *work;
    int *pivots, work_size;
};

struct routine {
    const char *name;
    enum input_kind input;
    double (*flops)(double m, double n);
    int (*factor)(struct system *s);
    int (*solve)(struct system *s); /* x := A^-1 x */
};

static int potrf(struct system *s)
{
    int info;
    pdpotrf_("L", &s->n, s->A, &ONE, &ONE, s->d, &info);
    return info;
}

static int potrs(struct system *s)
{
    int info;
    pdpotrs_("L", &s->n, &ONE, s->A, &ONE, &ONE, s->d, s->x, &ONE, &ONE, s->dv, &info);
    return info;
}

static int getrf(struct system *s)
{
    int info;
    pdgetrf_(&s->n, &s->n, s->A, &ONE, &ONE, s->d, s->pivots, &info);
    return info;
}

static int getrs(struct system *s)
{
    int info;
    pdgetrs_("N", &s->n, &ONE, s->A, &ONE, &ONE, s->d, s->pivots, s->x, &ONE, &ONE, s->dv, &info);
    return info;
}

static int geqrf(struct system *s)
{
    int info;
    pdgeqrf_(&s->n, &s->n, s->A, &ONE, &ONE, s->d, s->tau, s->work, &s->work_size, &info);
    return info;
}

static int qr_solve(struct system *s)
{
    int info;
    pdormqr_("L", "T", &s->n, &ONE, &s->n, s->A, &ONE, &ONE, s->d, s->tau, s->x, &ONE, &ONE, s->dv,
             s->work, &s->work_size, &info);
    if (info == 0)
        pdtrtrs_("U", "N", "N", &s->n, &ONE, s->A, &ONE, &ONE, s->d, s->x, &ONE, &ONE, s->dv,
                 &info);
    return info;
}

static const struct routine routines[] = {{"potrf", INPUT_SPD, flops_potrf, potrf, potrs},
                                          {"getrf", INPUT_UNIFORM, flops_getrf, getrf, getrs},
                                          {"geqrf", INPUT_UNIFORM, flops_geqrf, geqrf, qr_solve}};

/* The last block of a row or column may be smaller. */
static size_t block_size(const struct system *s, int block)
{
    int left = s->n - block * s->nb;
    return (size_t)(left < s->nb ? left : s->nb);
}

/* The blocks of this rank, as the suite's programs make them. */
static void generate(const struct system *s, const struct input *input, double *A)
{
    int blocks = (s->n + s->nb - 1) / s->nb;
    for (int j = s->column; j < blocks; j += s->columns)
        for (int i = s->row; i < blocks; i += s->rows) {
            size_t at =
                (size_t)(i / s->rows * s->nb) + (size_t)(j / s->columns * s->nb) * (size_t)s->ld;
            struct tile block = {A + at, block_size(s, i), block_size(s, j), (size_t)s->ld, A + at};
            input_tile(input, (size_t)i * (size_t)s->nb, (size_t)j * (size_t)s->nb, block);
        }
}

/* Of values that are spread over the ranks. */
static double norm(const double *values, size_t count)
{
    double own = 0.0, all;
    for (size_t i = 0; i < count; i++)
        own += values[i] * values[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(all);
}

/* |b - A x| / (|A| |x| n eps) of the solution x of A x = b for b = A (1, 1, …). */
static double residual(struct system *s, const struct routine *routine)
{
    size_t vector = s->column == 0 ? (size_t)s->here_rows : 0;
    size_t matrix = (size_t)s->ld * (size_t)s->here_columns;
    for (size_t i = 0; i < vector; i++)
        s->x[i] = 1.0;
    pdgemv_("N", &s->n, &s->n, &PLUS, s->kept, &ONE, &ONE, s->d, s->x, &ONE, &ONE, s->dv, &ONE,
            &NOTHING, s->b, &ONE, &ONE, s->dv, &ONE);
    memcpy(s->x, s->b, vector * sizeof *s->x);
    if (routine->solve(s) != 0)
        return NAN;
    pdgemv_("N", &s->n, &s->n, &MINUS, s->kept, &ONE, &ONE, s->d, s->x, &ONE, &ONE, s->dv, &ONE,
            &PLUS, s->b, &ONE, &ONE, s->dv, &ONE);
    double scale = norm(s->kept, matrix) * norm(s->x, vector) * s->n * DBL_EPSILON;
    return norm(s->b, vector) / scale;
}

/* @return whether it is right */
static bool repeat(struct system *s, const struct routine *routine, const struct reference *run,
                   int repetition)
{
    struct input input = {.kind = routine->input,
                          .m = (size_t)s->n,
                          .n = (size_t)s->n,
                          .seed = (uint64_t)(42 + repetition)};
    generate(s, &input, s->A);
    generate(s, &input, s->kept);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now_seconds();
    int info = routine->factor(s);
    double own = now_seconds() - start, seconds;
    MPI_Allreduce(&own, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double scaled = info == 0 ? residual(s, routine) : NAN;
    if (repetition >= 0 && s->row == 0 && s->column == 0)
        reference_print(run, openblas_get_num_threads(), routine->flops(s->n, s->n), seconds,
                        scaled);
    return scaled < (double)REFERENCE_THRESHOLD;
}

static void lay_out(struct system *s)
{
    int context, info, rows, columns;
    Cblacs_get(0, 0, &context);
    Cblacs_gridinit(&context, "Row", s->rows, s->columns);
    Cblacs_gridinfo(context, &rows, &columns, &s->row, &s->column);
    s->here_rows = numroc_(&s->n, &s->nb, &s->row, &ZERO, &s->rows);
    s->here_columns = numroc_(&s->n, &s->nb, &s->column, &ZERO, &s->columns);
    s->ld = s->here_rows > 1 ? s->here_rows : 1;
    descinit_(s->d, &s->n, &s->n, &s->nb, &s->nb, &ZERO, &ZERO, &context, &s->ld, &info);
    descinit_(s->dv, &s->n, &ONE, &s->nb, &s->nb, &ZERO, &ZERO, &context, &s->ld, &info);
}

/* ScaLAPACK's documentation of pdgeqrf and pdormqr has smaller bounds for their workspaces. */
static bool allocate(struct system *s)
{
    size_t ld = (size_t)s->ld, columns = (size_t)s->here_columns + 1, nb = (size_t)s->nb;
    s->work_size = (int)(2 * nb * (ld + columns + 2 * nb));
    s->A = calloc(ld * columns, sizeof *s->A);
    s->kept = calloc(ld * columns, sizeof *s->kept);
    s->x = calloc(ld, sizeof *s->x);
    s->b = calloc(ld, sizeof *s->b);
    s->tau = calloc(columns + nb, sizeof *s->tau);
    s->pivots = calloc(ld + nb, sizeof *s->pivots);
    s->work = calloc((size_t)s->work_size, sizeof *s->work);
    return s->A && s->kept && s->x && s->b && s->tau && s->pivots && s->work;
}

static void release(struct system *s)
{
    free(s->A);
    free(s->kept);
    free(s->x);
    free(s->b);
    free(s->tau);
    free(s->pivots);
    free(s->work);
}

static const struct routine *find(const char *name)
{
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (strcmp(routines[i].name, name) == 0)
            return &routines[i];
    return NULL;
}

static int measure(const struct reference *run, const struct routine *routine)
{
    struct system s = {.n = run->n, .nb = run->nb, .rows = run->rows, .columns = run->columns};
    bool right = true;
    lay_out(&s);
    if (!allocate(&s)) {
        fprintf(stderr, "scalapack-reference: no memory for N = %d\n", s.n);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    for (int r = -1; r < run->repetitions; r++)
        right = repeat(&s, routine, run, r) && right;
    release(&s);
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    int ranks, rank, status = 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct reference run;
    bool usable = reference_parse(&run, argc, argv, ranks);
    const struct routine *routine = usable ? find(run.routine) : NULL;
    if (routine)
        status = measure(&run, routine);
    else if (rank == 0)
        fprintf(stderr, "usage: mpirun -n P*Q scalapack-reference potrf|getrf|geqrf N NB P Q "
                        "REPETITIONS\n");
    MPI_Finalize();
    return status;
}
