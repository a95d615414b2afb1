/* SPDX-License-Identifier: BSD-3-Clause
 * A Householder reflector of eight columns. */
#ifndef POLLUX_KERNELS_VECTORS_HOUSEHOLDER_H
#define POLLUX_KERNELS_VECTORS_HOUSEHOLDER_H

#include "kernels/vectors/code.h"
#include "kernels/vectors/vectors.h"

/** Makes column j of A the reflector v, `scale` times its elements, and subtracts w[i] v from each column
 * i > j. Then s becomes the products of column j + 1 with all columns, unless j is the last. */
void ISA(reflect)(const struct tile *A, size_t j, double scale, const double *w, double *s);

#endif
