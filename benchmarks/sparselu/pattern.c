/* SPDX-License-Identifier: BSD-3-Clause
 * Patterns are tables of bytes, column by column: fill-in then adds columns to each other. */
#include "benchmarks/sparselu/pattern.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/base/sizes.h"
#include "kernels/kernels.h"

const char *const pattern_names[] = {
    [PATTERN_KASTORS] = "kastors", [PATTERN_GRID] = "grid", [PATTERN_GRID + 1] = NULL};

bool pattern_create(struct block_pattern *pattern, size_t nt)
{
    *pattern = (struct block_pattern){.nt = nt};
    if (nt <= PATTERN_MOST)
        pattern->present = calloc(nt, nt);
    return pattern->present != NULL;
}

void pattern_destroy(struct block_pattern *pattern)
{
    free(pattern->present);
    pattern->present = NULL;
}

static size_t distance(size_t i, size_t j)
{
    return larger(i, j) - smaller(i, j);
}

static bool kastors_has(size_t i, size_t j)
{
    return distance(i, j) <= 1 || (i % 2 == 0 && j % 2 == 0 && smaller(i, j) % 3 == 0);
}

/* Neighbours in a row of the grid have successive numbers; from one row to the next they differ by the width. */
static bool grid_has(size_t width, size_t i, size_t j)
{
    size_t apart = distance(i, j);
    return apart == 0 || apart == width || (apart == 1 && larger(i, j) % width != 0);
}

/* The smallest w with w w >= count. */
static size_t grid_width(size_t count)
{
    size_t width = 1;
    while (width * width < count)
        width++;
    return width;
}

void pattern_add_rule(struct block_pattern *pattern, enum pattern_rule rule)
{
    size_t nt = pattern->nt, width = grid_width(nt);
    for (size_t j = 0; j < nt; j++)
        for (size_t i = 0; i < nt; i++)
            if (rule == PATTERN_GRID ? grid_has(width, i, j) : kastors_has(i, j))
                pattern->present[i + j * nt] = 1;
}

void pattern_add_elements(struct block_pattern *pattern, const double *elements, size_t n,
                          size_t nb)
{
    size_t nt = pattern->nt;
    for (size_t k = 0; k < nt; k++)
        pattern->present[k + k * nt] = 1;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            if (elements[i + j * n] != 0.0)
                pattern->present[i / nb + j / nb * nt] = 1;
}

/* to[i] |= from[i], i in [0, count) */
static void add_column(unsigned char *restrict to, const unsigned char *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] |= from[i];
}

void pattern_fill_in(struct block_pattern *pattern)
{
    size_t nt = pattern->nt;
    for (size_t k = 0; k < nt; k++) {
        const unsigned char *left = pattern->present + k * nt;
        for (size_t j = k + 1; j < nt; j++) {
            unsigned char *column = pattern->present + j * nt;
            if (column[k])
                add_column(column + k + 1, left + k + 1, nt - k - 1);
        }
    }
}

size_t pattern_count(const struct block_pattern *pattern)
{
    size_t count = 0;
    for (size_t t = 0; t < pattern->nt * pattern->nt; t++)
        count += pattern->present[t];
    return count;
}

/* Rows of the blocks in row i, and columns of those in column i. */
static size_t order_of(size_t i, size_t n, size_t nb)
{
    return smaller(nb, n - i * nb);
}

/* Operations of one kernel on blocks on top of each other, or side by side, which are those on each. */
static double flops_of(const struct kernel *kernel, size_t m, size_t n, size_t k)
{
    return kernel->flops(sizes_mnk(m, n, k));
}

/* Step k, with so many rows of blocks below the diagonal block and columns of blocks right of it. */
static double step_flops(size_t order, size_t rows, size_t columns)
{
    return flops_of(&about_getrf_nopiv, order, order, order) +
           flops_of(&about_trsm_left_unit, order, columns, order) +
           flops_of(&about_trsm_right_upper, rows, order, order) +
           flops_of(&about_gemm, rows, columns, order);
}

double pattern_flops(const struct block_pattern *filled, size_t n, size_t nb)
{
    double flops = 0.0;
    for (size_t k = 0; k < filled->nt; k++) {
        size_t rows = 0, columns = 0;
        for (size_t i = k + 1; i < filled->nt; i++) {
            rows += pattern_has(filled, i, k) ? order_of(i, n, nb) : 0;
            columns += pattern_has(filled, k, i) ? order_of(i, n, nb) : 0;
        }
        flops += step_flops(order_of(k, n, nb), rows, columns);
    }
    return flops;
}

double pattern_tasks(const struct block_pattern *filled)
{
    double tasks = 0.0;
    for (size_t k = 0; k < filled->nt; k++) {
        double right = 0.0, below = 0.0;
        for (size_t i = k + 1; i < filled->nt; i++) {
            right += pattern_has(filled, k, i);
            below += pattern_has(filled, i, k);
        }
        tasks += (1.0 + right) * (1.0 + below);
    }
    return tasks;
}
