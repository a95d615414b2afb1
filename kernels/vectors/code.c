/* SPDX-License-Identifier: BSD-3-Clause
 * The table of one instruction set. */
#include "kernels/vectors/code.h"

#include "kernels/vectors/householder.h"
#include "kernels/vectors/panel.h"
#include "kernels/vectors/product.h"
#include "kernels/vectors/triangular_solve.h"
#include "kernels/vectors/vectors.h"

const struct vector_code ISA(code) = {
    .solve_order = SOLVE_ORDER,
    .subtract_product = ISA(subtract_product),
    .subtract_symmetric_product = ISA(subtract_symmetric_product),
    .subtract_triangle_product = ISA(subtract_triangle_product),
    .product_transposed = ISA(product_transposed),
    .solve_right = ISA(solve_right),
    .solve_left_unit_lower = ISA(solve_left_unit_lower),
    .panel_leaf = ISA(panel_leaf),
    .reflect = ISA(reflect),
};
