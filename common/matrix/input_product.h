/* SPDX-License-Identifier: BSD-3-Clause
 * The input matrix times a few vectors, and its norm, from elements that are generated again. */
#ifndef POLLUX_COMMON_INPUT_PRODUCT_H
#define POLLUX_COMMON_INPUT_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/matrix/input.h"

/** Y := A X for the m × n matrix A; X is n × p, Y is m × p, column-major.
 * @param[in]  symmetric A is symmetric: only elements on and below the diagonal are generated
 * @param[out] norm      ‖A‖ (Frobenius)
 * @return false if out of memory */
bool input_multiply(const struct input *input, bool symmetric, struct tile X, struct tile Y,
                    size_t threads, double *norm);

/** Bytes that input_multiply allocates for p vectors. */
size_t input_multiply_bytes(size_t m, size_t p, size_t threads);

#endif
