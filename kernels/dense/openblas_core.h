/* SPDX-License-Identifier: BSD-3-Clause
 * How OpenBLAS' routines are best called at the sizes of tiles, which depends on the processor core that its kernels
 * are written for. For use inside kernels/. */
#ifndef POLLUX_KERNELS_DENSE_OPENBLAS_CORE_H
#define POLLUX_KERNELS_DENSE_OPENBLAS_CORE_H

#include <stdbool.h>
#include <stddef.h>

struct openblas_core {
    const char
        *name; /**< that openblas_get_corename() returns, in any case; NULL: every other core */
    /** The most multiplications, m n k, of a product whose operands dgemm reads where they are, without packing them
     * first; SIZE_MAX if it does not treat small products specially. */
    size_t unpacked_product;
    /** The orders of triangles up to which dtrsm, from the left and from the right, is as fast as a split over
     * products; and in the same sense for the other side. */
    size_t solve_left, solve_right;
    /** Columns of a panel up to which dgetrf is as fast as halves; SIZE_MAX: always. */
    size_t panel;
    /** The order up to which dsyrk is as fast as halves; SIZE_MAX: always. */
    size_t symmetric;
    /** Whether Aᵀ B is faster with a transposed copy of A, which dgemm need not pack. */
    bool copy_transposed;
};

/** That of the kernels that OpenBLAS runs in this process. */
const struct openblas_core *openblas_core(void);

#endif
