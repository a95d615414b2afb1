/* SPDX-License-Identifier: BSD-3-Clause
 * The graph of the benchmark qr, variant `depend`. */
#include "micro/algorithm.h"

#define qr_depend empty_qr_depend
#define qr_seq empty_qr_seq
#define qr_T empty_qr_T
#define qr_use_domains empty_qr_use_domains
#define qr_geqrt empty_qr_geqrt
#define qr_unmqr empty_qr_unmqr
#define qr_tsqrt empty_qr_tsqrt
#define qr_tsmqr empty_qr_tsmqr
/* The sources of the benchmark. NOLINTBEGIN(bugprone-suspicious-include) */
#include "qr/depend.c"
#include "qr/seq.c"
/* NOLINTEND(bugprone-suspicious-include) */

double *qr_T(const struct problem *p, size_t m, size_t k)
{
    return reflector(p, m, k);
}

/* Both graphs here are of the flat tree. */
void qr_use_domains(struct problem *p, size_t domains)
{
    (void)p;
    (void)domains;
}

void qr_geqrt(struct problem *p, size_t k, size_t m)
{
    if (!begin_task(p, k, m, k))
        return;
    writes_tile(p, m, k);
    writes_reflector(p, m, k);
}

void qr_unmqr(struct problem *p, size_t k, size_t m, size_t n)
{
    if (!begin_task(p, k, m, n))
        return;
    reads_tile(p, m, k);
    reads_reflector(p, m, k);
    writes_tile(p, m, n);
}

void qr_tsqrt(struct problem *p, size_t k, size_t m)
{
    if (!begin_task(p, k, m, k))
        return;
    writes_tile(p, k, k);
    writes_tile(p, m, k);
    writes_reflector(p, m, k);
}

void qr_tsmqr(struct problem *p, size_t k, size_t m, size_t n)
{
    if (!begin_task(p, k, m, n))
        return;
    reads_tile(p, m, k);
    reads_reflector(p, m, k);
    writes_tile(p, k, n);
    writes_tile(p, m, n);
}

static size_t tasks(size_t tiles)
{
    return tiles * (tiles + 1) * (2 * tiles + 1) / 6;
}

const struct algorithm qr_algorithm = {.variant = "depend",
                                       .tasks = tasks,
                                       .submit = qr_depend,
                                       .sequential = qr_seq,
                                       .reflectors = true};
