/* SPDX-License-Identifier: BSD-3-Clause
 * What the QR kernels share: tiles in blocks of reflectors that are applied together. The inner block, their
 * number, is the row count of the T tile. */
#ifndef POLLUX_KERNELS_QR_BLOCKS_H
#define POLLUX_KERNELS_QR_BLOCKS_H

#include "kernels/dense/reflectors.h"
#include "kernels/kernels.h"

/** A call that writes a tile, with k reflectors; the inner block is that of T. */
struct call qr_call(const struct kernel *kernel, size_t step, struct tile written, size_t k,
                    struct tile T);

/** Makes the first k reflectors of a panel, and applies each block to the columns after it. */
void qr_blocks_factor(struct execution *x, struct qr_panel p, size_t k, struct tile T);

/** C := Qᵀ C or Q C, block by block. */
void qr_blocks_apply(struct execution *x, enum transpose op, struct reflectors H, struct operand C);

/** Fails at the first of `count` columns whose R(j, j) is not finite. */
void qr_blocks_check(struct execution *x, size_t first_column, struct tile R, size_t count);

#endif
