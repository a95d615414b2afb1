/* SPDX-License-Identifier: BSD-3-Clause
 * The same product repeatedly, each thread into memory of its own. */
#include "common/process/blas_selftest.h"

#include <cblas.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/message.h"
#include "common/execution/team.h"

static void multiply(size_t order, const double *A, double *C)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)order, (int)order, (int)order, -1.0,
                A, (int)order, A, (int)order, 0.0, C, (int)order);
}

/* Products per thread: few for large tiles, more for those that take microseconds. */
static int product_count(size_t order)
{
    return order <= 256 ? 20 : 3;
}

/* The threads' products, each of them by one thread. */
struct selftest {
    size_t order;
    const double *A, *expected;
    double *results;
    atomic_long wrong;
};

static void multiply_repeatedly(void *argument, size_t thread)
{
    struct selftest *test = argument;
    size_t elements = test->order * test->order;
    double *C = test->results + thread * elements;
    for (int i = 0; i < product_count(test->order); i++) {
        multiply(test->order, test->A, C);
        if (memcmp(C, test->expected, elements * sizeof *C) != 0)
            atomic_fetch_add(&test->wrong, 1);
    }
}

long blas_selftest(size_t order, size_t threads)
{
    size_t elements = order * order;
    double *A = malloc(elements * sizeof *A);
    double *expected = malloc(elements * sizeof *expected);
    double *results = malloc(threads * elements * sizeof *results);
    struct selftest test = {.order = order, .A = A, .expected = expected, .results = results};
    if (!A || !expected || !results) {
        test.wrong = -1;
        goto done;
    }
    for (size_t i = 0; i < elements; i++)
        A[i] = (double)(i * 2654435761u % 1000003) / 1000003.0 - 0.5;
    multiply(order, A, expected);
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
        message_fatal(POLLUX_MACHINE,
                      "no memory for the self-test of BLAS with products of order %zu", order);
    if (wrong > 0)
        message_fatal(POLLUX_MACHINE,
                      "this BLAS is not thread-safe: %ld products of order %zu by %zu threads at "
                      "once differ from the same product by one thread",
                      wrong, order, threads);
}
