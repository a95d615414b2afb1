/* SPDX-License-Identifier: BSD-3-Clause
 * The same product repeatedly, each thread into memory of its own. */
#include "common/process/blas_selftest.h"

#include <cblas.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/message.h"
#include "common/execution/team.h"

static void multiply(size_t nb, const double *A, double *C)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)nb, (int)nb, (int)nb, -1.0, A,
                (int)nb, A, (int)nb, 0.0, C, (int)nb);
}

/* Products per thread: few for large tiles, more for those that take microseconds. */
static int product_count(size_t nb)
{
    return nb <= 256 ? 20 : 3;
}

/* The threads' products, each of them by one thread. */
struct selftest {
    size_t nb;
    const double *A, *expected;
    double *results;
    atomic_long wrong;
};

static void multiply_repeatedly(void *argument, size_t thread)
{
    struct selftest *test = argument;
    size_t elements = test->nb * test->nb;
    double *C = test->results + thread * elements;
    for (int i = 0; i < product_count(test->nb); i++) {
        multiply(test->nb, test->A, C);
        if (memcmp(C, test->expected, elements * sizeof *C) != 0)
            atomic_fetch_add(&test->wrong, 1);
    }
}

long blas_selftest(size_t nb, size_t threads)
{
    size_t elements = nb * nb;
    double *A = malloc(elements * sizeof *A);
    double *expected = malloc(elements * sizeof *expected);
    double *results = malloc(threads * elements * sizeof *results);
    struct selftest test = {.nb = nb, .A = A, .expected = expected, .results = results};
    if (!A || !expected || !results) {
        test.wrong = -1;
        goto done;
    }
    for (size_t i = 0; i < elements; i++)
        A[i] = (double)(i * 2654435761u % 1000003) / 1000003.0 - 0.5;
    multiply(nb, A, expected);
    team_each(threads, multiply_repeatedly, &test);
done:
    free(A);
    free(expected);
    free(results);
    return test.wrong;
}

void blas_require_selftest(size_t order, size_t threads)
{
    long wrong = blas_selftest(order, threads);
    if (wrong < 0)
        message_fatal(POLLUX_MACHINE, "no memory for the self-test of BLAS of order %zu", order);
    if (wrong > 0)
        message_fatal(POLLUX_MACHINE,
                      "this BLAS is not thread-safe: %ld products of order %zu by %zu threads at "
                      "once differ from the same product by one thread",
                      wrong, order, threads);
}
