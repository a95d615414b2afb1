/* SPDX-License-Identifier: BSD-3-Clause
 * OpenBLAS' dgemm on tiles. For use inside kernels/. */
#ifndef POLLUX_KERNELS_DENSE_DGEMM_H
#define POLLUX_KERNELS_DENSE_DGEMM_H

#include "common/matrix/operands.h"
#include "common/matrix/tile_matrix.h"

/** C := beta C + alpha op(A) op(B), in one call. */
void dgemm(double alpha, enum transpose opA, struct tile A, enum transpose opB, struct tile B,
           double beta, struct tile C);

/** Reads each cache line, in the order of memory: the kernels that read operands in place go from column to
 * column, which no prefetcher follows. */
void read_ahead(struct tile t);

/** C := beta C + alpha A op(B). Products of tiles whose operands OpenBLAS would copy first are made of pieces for
 * which it does not. */
void dgemm_in_pieces(double alpha, struct tile A, enum transpose opB, struct tile B, double beta,
                     struct tile C);

#endif
