/* SPDX-License-Identifier: BSD-3-Clause
 * Command line and output of the programs that run other libraries. */
#include "docs/evaluation/reference.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *openblas_get_corename(void);
void dgemm_(void);

bool reference_parse(struct reference *run, int argc, char **argv, int ranks)
{
    enum { ARGUMENTS = 7, ROUTINE = 1, ORDER, BLOCK, ROWS, COLUMNS, REPETITIONS };
    int numbers[ARGUMENTS];
    if (argc != ARGUMENTS)
        return false;
    for (int i = ORDER; i < ARGUMENTS; i++) {
        numbers[i] = atoi(argv[i]);
        if (numbers[i] <= 0)
            return false;
    }
    *run = (struct reference){argv[ROUTINE], numbers[ORDER],   numbers[BLOCK],
                              numbers[ROWS], numbers[COLUMNS], numbers[REPETITIONS]};
    return run->rows * run->columns == ranks;
}

/* The library by which products are made. */
static const char *blas_path(void)
{
    void (*function)(void) = dgemm_;
    void *address;
    Dl_info info;
    memcpy(&address, &function, sizeof address);
    return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "unknown";
}

void reference_print(const struct reference *run, int threads, double flops, double seconds,
                     double residual)
{
    printf("{\"routine\": \"%s\", \"n\": %d, \"nb\": %d, \"grid\": \"%dx%d\", \"threads\": %d, "
           "\"core\": \"%s\", \"blas\": \"%s\", \"seconds\": %.6f, \"gflops\": %.3f, "
           "\"residual\": %.3g}\n",
           run->routine, run->n, run->nb, run->rows, run->columns, threads, openblas_get_corename(),
           blas_path(), seconds, flops / seconds * 1e-9, residual);
}
