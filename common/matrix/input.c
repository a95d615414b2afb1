/* SPDX-License-Identifier: BSD-3-Clause
 * One Philox block yields the two elements (2k, j) and (2k + 1, j). */
#include "common/matrix/input.h"

#include <Random123/philox.h>
#include <math.h>

/* Probe signs come from a column that no matrix has. */
static const uint64_t PROBE_COLUMN = UINT64_MAX;

static philox2x64_ctr_t random_block(uint64_t seed, uint64_t first, uint64_t second)
{
    philox2x64_ctr_t counter = {{first, second}};
    philox2x64_key_t key = {{seed}};
    return philox2x64(counter, key);
}

/* The upper 53 bits, scaled to [-1, 1). */
static double uniform(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-52 - 1.0;
}

static double uniform_element(uint64_t seed, size_t i, size_t j)
{
    return uniform(random_block(seed, i / 2, j).v[i % 2]);
}

double input_element(const struct input *input, size_t i, size_t j)
{
    switch (input->kind) {
    case INPUT_FILE:
        return input->elements[i + j * input->m];
    case INPUT_SPD: {
        double u = uniform_element(input->seed, i > j ? i : j, i > j ? j : i);
        return i == j ? (double)input->n + fabs(u) : u;
    }
    case INPUT_DOMINANT:
        return uniform_element(input->seed, i, j) + (i == j ? (double)input->n : 0.0);
    case INPUT_UNIFORM:
    case INPUT_OWN:
        break;
    }
    return uniform_element(input->seed, i, j);
}

/* Rows [row, row + rows) of column col, two elements per random block. */
static void uniform_column(uint64_t seed, size_t row, size_t rows, size_t col, double *a)
{
    size_t i = 0;
    if (row % 2 != 0 && rows > 0)
        a[i++] = uniform_element(seed, row, col);
    for (; i + 1 < rows; i += 2) {
        philox2x64_ctr_t block = random_block(seed, (row + i) / 2, col);
        a[i] = uniform(block.v[0]);
        a[i + 1] = uniform(block.v[1]);
    }
    if (i < rows)
        a[i] = uniform_element(seed, row + i, col);
}

/* The first row of a column from which its elements are uniform_column's: below the diagonal where the
 * matrix is symmetric, none where it is read from a file. */
static size_t first_plain_row(const struct input *input, size_t col)
{
    switch (input->kind) {
    case INPUT_FILE:
        return input->m;
    case INPUT_SPD:
        return col + 1;
    case INPUT_DOMINANT:
    case INPUT_UNIFORM:
    case INPUT_OWN:
        break;
    }
    return 0;
}

void input_tile(const struct input *input, size_t row, size_t col, struct tile t)
{
    for (size_t j = 0; j < t.cols; j++) {
        double *a = t.a + j * t.ld;
        size_t first = first_plain_row(input, col + j), i = 0;
        for (; i < t.rows && row + i < first; i++)
            a[i] = input_element(input, row + i, col + j);
        uniform_column(input->seed, row + i, t.rows - i, col + j, a + i);
        if (input->kind == INPUT_DOMINANT && row <= col + j && col + j < row + t.rows)
            a[col + j - row] = input_element(input, col + j, col + j);
    }
}

double input_sign(uint64_t seed, size_t i, size_t p)
{
    uint64_t bits = random_block(seed, i / 64, PROBE_COLUMN - p).v[0];
    return (bits >> (i % 64)) & 1 ? 1.0 : -1.0;
}

void input_fill(const struct input *input, struct tile_matrix *A, int upper, size_t threads)
{
#pragma omp parallel for collapse(2) schedule(static) num_threads((int)threads)
    for (size_t j = 0; j < A->nt; j++)
        for (size_t i = 0; i < A->mt; i++)
            if (upper || i > tile_top(A, j))
                input_tile(input, i * A->mb, j * A->nb, tile_at(A, i, j));
            else if (i == tile_top(A, j))
                input_tile(input, j * A->nb, j * A->nb, tile_at_step(A, j, j));
}
