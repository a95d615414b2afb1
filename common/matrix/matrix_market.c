/* SPDX-License-Identifier: BSD-3-Clause
 * Thin over CHOLMOD's Check module. CHOLMOD is linked statically: the shared one may bring a
 * second OpenMP runtime into the process. */
#include "common/matrix/matrix_market.h"

#include <cholmod.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/message.h"
#include "common/machine/host.h"

static cholmod_dense *densify(const char *path, cholmod_sparse *sparse, cholmod_common *common)
{
    double bytes = (double)sparse->nrow * (double)sparse->ncol * (double)sizeof(double);
    if (bytes > (double)host_available_bytes())
        message_fatal(
            POLLUX_MACHINE, "%s: %zu x %zu makes %.1f GiB when dense, and %.1f GiB are free", path,
            sparse->nrow, sparse->ncol, bytes / 0x1p30, (double)host_available_bytes() / 0x1p30);
    cholmod_dense *dense = cholmod_sparse_to_dense(sparse, common);
    cholmod_free_sparse(&sparse, common);
    return dense;
}

static cholmod_dense *read_dense(const char *path, FILE *file, cholmod_common *common)
{
    enum { BOTH_TRIANGLES = 1 }; /* of a symmetric matrix; 0 would give a list of triplets */
    int type = 0;
    void *matrix = cholmod_read_matrix(file, BOTH_TRIANGLES, &type, common);
    if (matrix && type == CHOLMOD_SPARSE)
        return densify(path, matrix, common);
    return matrix && type == CHOLMOD_DENSE ? matrix : NULL;
}

struct dense_matrix matrix_market_read(const char *path)
{
    cholmod_common common;
    FILE *file = fopen(path, "r");
    if (!file)
        message_fatal(POLLUX_USAGE, "cannot open %s: %s", path, strerror(errno));
    cholmod_start(&common);
    common.print = 0;
    cholmod_dense *dense = read_dense(path, file, &common);
    fclose(file);
    if (!dense)
        message_fatal(common.status == CHOLMOD_OUT_OF_MEMORY ? POLLUX_MACHINE : POLLUX_USAGE,
                      "%s is not a Matrix Market file (coordinate or array, real)", path);
    if (dense->xtype != CHOLMOD_REAL)
        message_fatal(POLLUX_USAGE, "%s contains complex numbers: a real matrix is needed", path);
    if (dense->nrow == 0 || dense->ncol == 0)
        message_fatal(POLLUX_USAGE, "%s is empty: at least one row and column are needed", path);

    struct dense_matrix matrix = {.m = dense->nrow, .n = dense->ncol};
    matrix.elements = malloc(matrix.m * matrix.n * sizeof *matrix.elements);
    if (!matrix.elements)
        message_fatal(POLLUX_MACHINE, "%s: no memory for %zu x %zu", path, matrix.m, matrix.n);
    for (size_t j = 0; j < matrix.n; j++)
        memcpy(matrix.elements + j * matrix.m, (double *)dense->x + j * dense->d,
               matrix.m * sizeof(double));
    cholmod_free_dense(&dense, &common);
    cholmod_finish(&common);
    return matrix;
}

bool dense_matrix_is_symmetric(const struct dense_matrix *matrix)
{
    if (matrix->m != matrix->n)
        return false;
    for (size_t j = 0; j < matrix->n; j++)
        for (size_t i = j + 1; i < matrix->m; i++) {
            double below = matrix->elements[i + j * matrix->m];
            double above = matrix->elements[j + i * matrix->m];
            if (below != above && !(isnan(below) && isnan(above)))
                return false;
        }
    return true;
}

void matrix_market_free(struct dense_matrix *matrix)
{
    free(matrix->elements);
    matrix->elements = NULL;
}
