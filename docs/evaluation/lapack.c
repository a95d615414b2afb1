/* SPDX-License-Identifier: BSD-3-Clause
 * OpenBLAS' own threaded dpotrf, dgetrf, dgeqrf or dgemm on the suite's random matrices: the reference for
 * the task graphs. One line of JSON for each repetition.
 *
 *     lapack-reference potrf|getrf|geqrf|gemm N REPETITIONS
 *
 * The thread count is OPENBLAS_NUM_THREADS; a first repetition is not reported. */
#include <cblas.h>
#include <lapacke.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/matrix/input.h"
#include "kernels/flops.h"

int openblas_get_num_threads(void);
char *openblas_get_corename(void);

enum { QR_BLOCK = 64 };

struct routine {
    const char *name;
    enum input_kind input;
    double (*flops)(double m, double n);
    int (*call)(int n, double *A, int *pivots, double *tau, double *work);
};

static int potrf(int n, double *A, int *pivots, double *tau, double *work)
{
    (void)pivots;
    (void)tau;
    (void)work;
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, n);
}

static int getrf(int n, double *A, int *pivots, double *tau, double *work)
{
    (void)tau;
    (void)work;
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivots);
}

static int geqrf(int n, double *A, int *pivots, double *tau, double *work)
{
    (void)pivots;
    return LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, n, A, n, tau, work, n * QR_BLOCK);
}

/* C := C - A A */
static int gemm(int n, double *A, int *pivots, double *tau, double *work)
{
    (void)pivots;
    (void)tau;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, -1.0, A, n, A, n, 1.0, work, n);
    return 0;
}

static double flops_gemm(double m, double n)
{
    return 2 * m * n * n;
}

static const struct routine routines[] = {{"potrf", INPUT_SPD, flops_potrf, potrf},
                                          {"getrf", INPUT_UNIFORM, flops_getrf, getrf},
                                          {"geqrf", INPUT_UNIFORM, flops_geqrf, geqrf},
                                          {"gemm", INPUT_UNIFORM, flops_gemm, gemm}};

static const struct routine *find(const char *name)
{
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (strcmp(routines[i].name, name) == 0)
            return &routines[i];
    return NULL;
}

static bool run(const struct routine *routine, int n, int repetitions)
{
    size_t order = (size_t)n;
    double *A = malloc(order * order * sizeof *A);
    double *tau = malloc(order * sizeof *tau);
    double *work = calloc(order * (order > QR_BLOCK ? order : QR_BLOCK), sizeof *work);
    int *pivots = malloc(order * sizeof *pivots);
    bool ok = A && tau && work && pivots;
    for (int r = -1; ok && r < repetitions; r++) {
        struct input input = {
            .kind = routine->input, .m = order, .n = order, .seed = (uint64_t)(42 + r)};
        input_tile(&input, 0, 0, (struct tile){A, order, order, order, A});
        double start = now_seconds();
        ok = routine->call(n, A, pivots, tau, work) == 0;
        double seconds = now_seconds() - start;
        if (r >= 0)
            printf("{\"routine\": \"%s\", \"n\": %d, \"threads\": %d, \"core\": \"%s\", "
                   "\"seconds\": %.6f, \"gflops\": %.3f}\n",
                   routine->name, n, openblas_get_num_threads(), openblas_get_corename(), seconds,
                   routine->flops(n, n) / seconds * 1e-9);
    }
    free(A);
    free(tau);
    free(work);
    free(pivots);
    return ok;
}

int main(int argc, char **argv)
{
    const struct routine *routine = argc == 4 ? find(argv[1]) : NULL;
    int n = argc == 4 ? atoi(argv[2]) : 0;
    int repetitions = argc == 4 ? atoi(argv[3]) : 0;
    if (!routine || n < 1 || repetitions < 1) {
        fprintf(stderr, "usage: lapack-reference potrf|getrf|geqrf|gemm N REPETITIONS\n");
        return 2;
    }
    return run(routine, n, repetitions) ? 0 : 1;
}
