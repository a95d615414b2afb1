/* SPDX-License-Identifier: BSD-3-Clause
 * How the operands of kernels, and of the pieces below them, are used. Matrices are views (struct tile of
 * common/matrix/tile_matrix.h): of tiles, of parts of them and of packed copies, all column-major. */
#ifndef POLLUX_COMMON_OPERANDS_H
#define POLLUX_COMMON_OPERANDS_H

/** Whether an operand is used as it is or transposed. */
enum transpose { NO_TRANSPOSE, TRANSPOSE };

/** What a product does to C. */
enum update { UPDATE_ASSIGN, UPDATE_ADD, UPDATE_SUBTRACT };

/** Which elements of a factor are stored. */
enum shape {
    SHAPE_GENERAL, /**< all */
    SHAPE_UPPER,   /**< all, and below the diagonal they are zeros */
    SHAPE_UNIT_LOWER /**< a trapezoid with at least as many rows as columns: those below its diagonal of
                          ones; neither the ones nor the zeros above them are read */
};

#endif
