/* SPDX-License-Identifier: BSD-3-Clause
 * A Householder reflector of eight columns, for processors with AVX-512. */
#ifndef POLLUX_KERNELS_AVX512_HOUSEHOLDER_H
#define POLLUX_KERNELS_AVX512_HOUSEHOLDER_H

#include "common/matrix/tile_matrix.h"

/** Columns of A in avx512_reflect: as many as a vector has lanes. */
enum { AVX512_REFLECTOR_COLUMNS = 8 };

/** Makes column j of A the reflector v, `scale` times its elements, and subtracts w[i] v from each column
 * i > j. Then s becomes the products of column j + 1 with all columns, unless j is the last. */
void avx512_reflect(const struct tile *A, size_t j, double scale, const double *w, double *s);

#endif
