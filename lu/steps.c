/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels of LU by tile coordinates. */
#include "lu/lu.h"

static struct lu_factors *factors(const struct problem *p)
{
    return p->factors;
}

void lu_getrf(struct problem *p, size_t k)
{
    kernel_getrf(p->execution, k, p->A, factors(p)->pivots, factors(p)->panel);
}

void lu_getrf_spread(struct problem *p, size_t k)
{
    struct spread_panel panel = {
        .A = p->A, .k = k, .first = tile_top(p->A, k), .stride = 1, .rows = &factors(p)->rows};
    for (size_t c = 0; c < panel_pivot_count(p->A, k); c++) {
        kernel_panel_search(p->execution, panel, c);
        kernel_panel_pivot(p->execution, panel, c);
        kernel_panel_column(p->execution, panel, c, factors(p)->pivots);
    }
}

void lu_laswp(struct problem *p, size_t k, size_t n)
{
    kernel_laswp(p->execution, k, p->A, n, factors(p)->pivots);
}

void lu_laswp_part(struct problem *p, size_t k, size_t n, struct laswp_part part)
{
    kernel_laswp_part(p->execution, k, p->A, n, factors(p)->pivots, part);
}

void lu_laswp_behind(struct problem *p, size_t n)
{
    kernel_laswp_from(p->execution, n + 1, p->A, n, factors(p)->pivots);
}

void lu_trsm(struct problem *p, size_t k, size_t n)
{
    kernel_trsm_left_unit(p->execution, k, tile_at_step(p->A, k, k), tile_at_step(p->A, k, n));
}

void lu_getrf_nopiv(struct problem *p, size_t k)
{
    kernel_getrf_nopiv(p->execution, k, k * p->A->nb, tile_at_step(p->A, k, k));
}

void lu_trsm_right(struct problem *p, size_t k, size_t m)
{
    kernel_trsm_right_upper(p->execution, k, tile_block(p->A, k, k), tile_at(p->A, m, k));
}

void lu_gemm(struct problem *p, size_t k, size_t m, size_t n)
{
    kernel_gemm(p->execution, k, NO_TRANSPOSE, tile_at(p->A, m, k), tile_block(p->A, k, n),
                tile_at(p->A, m, n));
}
