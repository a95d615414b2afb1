/* SPDX-License-Identifier: BSD-3-Clause
 * LU `depend`: KASTORS' formulation. The panel and the row exchanges touch a whole tile column but
 * name at most one of its tiles. So the solve and each update of column j carry an inout on the
 * column's stand-in Cj as well: it orders them after the exchanges, before the next panel, and one
 * after the other. An update need not name the tiles that it reads: Cj and Cp order it against those
 * who write them.
 *
 * The updates of step k-1 read column k-1. All of them precede the exchanges and the panel of step
 * k, which therefore name that column (Cp) as read: the exchanges that step k and later ones do
 * within column k-1 then wait for its last reader. */
#include "lu/variants.h"

void lu_depend(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t top = tile_top(p->A, k);
        double *Akk = tile_address(p->A, top, k);
        double *Ck = lu_column(p, (ptrdiff_t)k);
        double *Cp = lu_column(p, (ptrdiff_t)k - 1);
#pragma omp task firstprivate(p, k) \
    depend(in : Cp[0]) \
    depend(inout : Akk[0], Ck[0]) \
    priority(PRIORITY_PANEL)
        lu_getrf(p, k);

        for (size_t j = k + 1; j < nt; j++) {
            double *Akj = tile_address(p->A, top, j);
            double *Cj = lu_column(p, (ptrdiff_t)j);
#pragma omp task firstprivate(p, k, j) \
    depend(in : Akk[0], Cp[0]) \
    depend(inout : Akj[0], Cj[0]) \
    priority(j == k + 1 ? PRIORITY_SOLVE : 0)
            lu_laswp(p, k, j);

#pragma omp task firstprivate(p, k, j) \
    depend(in : Akk[0]) \
    depend(inout : Akj[0], Cj[0]) \
    priority(j == k + 1 ? PRIORITY_SOLVE : 0)
            lu_trsm(p, k, j);

            for (size_t m = top + 1; m < mt; m++) {
                double *Amj = tile_address(p->A, m, j);
#pragma omp task firstprivate(p, k, m, j) \
    depend(inout : Amj[0], Cj[0]) \
    priority(j == k + 1 ? PRIORITY_NEXT : 0)
                lu_gemm(p, k, m, j);
            }
        }
        for (size_t j = 0; j < k; j++) {
            double *Cj = lu_column(p, (ptrdiff_t)j);
#pragma omp task firstprivate(p, k, j) \
    depend(in : Akk[0]) \
    depend(inout : Cj[0])
            lu_laswp(p, k, j);
        }
    }
}
