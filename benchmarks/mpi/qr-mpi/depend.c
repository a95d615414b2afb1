/* SPDX-License-Identifier: BSD-3-Clause
 * The tasks of one rank: those of qr/tree.c, or with one domain of qr/depend.c, whose tile in row m lives here. A(m,k) and
 * T(m,k) together hold Q(m,k), and A(m,k) and S(m,k) the Q(t,m,k) of a pair of heads; they go to the ranks that apply them.
 * A head's row of tiles visits the rows of its domain, one after another, then the heads below it, and with them the ranks
 * on which they live: these tiles are written in the order of one process, so the bits are the same.
 * Where the domains are a multiple of the rows of ranks, each lives on one of these, and heads alone travel. */
#include "benchmarks/mpi/exchange.h"
#include "benchmarks/mpi/qr-mpi/qr_mpi.h"
#include "common/base/sizes.h"
#include "qr/qr.h"

/* A(h,k), T(h,k) := qr(A(h,k)) */
static void panel(struct problem *p, size_t k, size_t h)
{
    double *Ahk = tile_address(p->A, h, k);
    double *Thk = qr_T(p, h, k);
#pragma omp task firstprivate(p, k, h) \
    depend(inout : Ahk[0], Thk[0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
    qr_geqrt(p, k, h);
}

/* A(h,n) := Q(h,k)ᵀ A(h,n)
 * Where A(h,k) lives, T(h,k) stands for both, so that reductions, which write R(h,k) above the reflectors, need not wait
 * until these have been applied to all columns. Elsewhere each comes by a message of its own. */
static void apply_panel(struct problem *p, size_t k, size_t h, size_t n)
{
    double *Vhk = is_here(h, k) ? qr_T(p, h, k) : tile_address(p->A, h, k);
    double *Thk = qr_T(p, h, k);
    double *Ahn = tile_address(p->A, h, n);
#pragma omp task firstprivate(p, k, h, n) \
    depend(in : Vhk[0], Thk[0]) \
    depend(inout : Ahn[0]) \
    priority(PRIORITY_SOLVE) /* the column's updates wait for it */
    qr_unmqr(p, k, h, n);
}

/* [A(h,k); A(m,k)], T(m,k) := qr([R(h,k); A(m,k)]) */
static void reduce(struct problem *p, size_t k, size_t m)
{
    double *Ahk = tile_address(p->A, qr_head(p, k, m), k);
    double *Amk = tile_address(p->A, m, k);
    double *Tmk = qr_T(p, m, k);
#pragma omp task firstprivate(p, k, m) \
    depend(inout : Ahk[0], Amk[0], Tmk[0]) \
    priority(PRIORITY_PANEL) /* all below it in the domain wait for it */
    qr_tsqrt(p, k, m);
}

/* [A(h,n); A(m,n)] := Q(m,k)ᵀ [A(h,n); A(m,n)] */
static void apply(struct problem *p, size_t k, size_t m, size_t n)
{
    double *Amk = tile_address(p->A, m, k);
    double *Tmk = qr_T(p, m, k);
    double *Ahn = tile_address(p->A, qr_head(p, k, m), n);
    double *Amn = tile_address(p->A, m, n);
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Tmk[0]) \
    depend(inout : Ahn[0], Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
    qr_tsmqr(p, k, m, n);
}

/* [A(t,k); A(m,k)], S(m,k) := qr([R(t,k); R(m,k)]) */
static void reduce_pair(struct problem *p, size_t k, size_t t, size_t m)
{
    double *Atk = tile_address(p->A, t, k);
    double *Amk = tile_address(p->A, m, k);
    double *Smk = qr_S(p, m, k);
#pragma omp task firstprivate(p, k, t, m) \
    depend(inout : Atk[0], Amk[0], Smk[0]) \
    priority(PRIORITY_PANEL) /* the next level of pairs waits for it */
    qr_ttqrt(p, k, t, m);
}

/* [A(t,n); A(m,n)] := Q(t,m,k)ᵀ [A(t,n); A(m,n)] */
static void apply_pair(struct problem *p, size_t k, size_t t, size_t m, size_t n)
{
    double *Amk = tile_address(p->A, m, k);
    double *Smk = qr_S(p, m, k);
    double *Atn = tile_address(p->A, t, n);
    double *Amn = tile_address(p->A, m, n);
#pragma omp task firstprivate(p, k, t, m, n) \
    depend(in : Amk[0], Smk[0]) \
    depend(inout : Atn[0], Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
    qr_ttmqr(p, k, t, m, n);
}

static void share_reflectors(struct problem *p, size_t m, size_t k)
{
    exchange_share(p, m, k);
    exchange_share_companion(p, QR_MPI_T, m, k);
}

static void share_pair(struct problem *p, size_t m, size_t k)
{
    exchange_share(p, m, k);
    exchange_share_companion(p, QR_MPI_S, m, k);
}

static void factor_heads(struct problem *p, size_t k)
{
    size_t nt = p->A->nt, columns = world()->columns, end = k + qr_heads(p, k);
    for (size_t h = k; h < end; h++) {
        if (is_here(h, k))
            panel(p, k, h);
        share_reflectors(p, h, k);
    }
    exchange_complete(p);
    for (size_t h = first_row_here(k); h < end; h += world()->rows)
        for (size_t n = first_column_here(k + 1); n < nt; n += columns)
            apply_panel(p, k, h, n);
}

/* Rows first … last - 1 meet their heads, each of them on its own ranks. */
static void reduce_rows(struct problem *p, size_t k, size_t first, size_t last)
{
    size_t nt = p->A->nt, columns = world()->columns, heads = qr_heads(p, k);
    for (size_t m = first; m < last && heads % world()->rows != 0; m++)
        exchange_move_row(p, qr_head(p, k, m), k, m - heads, m);
    exchange_complete(p);
    for (size_t m = first; m < last; m++) {
        if (is_here(m, k))
            reduce(p, k, m);
        share_reflectors(p, m, k);
    }
    exchange_complete(p);
    for (size_t m = first_row_here(first); m < last; m += world()->rows)
        for (size_t n = first_column_here(k + 1); n < nt; n += columns)
            apply(p, k, m, n);
}

/* Reductions write R(h,k) beside the reflectors of A(h,k), which go out before them. Where domains live on several ranks
 * R(h,k) first goes to another one, and what it comes back in waits for that. */
static void reduce_domains(struct problem *p, size_t k)
{
    size_t nt = p->A->nt, heads = qr_heads(p, k);
    bool stay = heads % world()->rows == 0;
    if (stay)
        exchange_settle(p);
    size_t together = stay ? nt : heads;
    for (size_t m = k + heads; m < nt; m += together)
        reduce_rows(p, k, m, smaller(nt, m + together));
}

/* The last stop of head h before it meets others at this distance: the ranks of that row. */
static size_t stop_before(const struct problem *p, size_t k, size_t h, size_t distance)
{
    size_t heads = qr_heads(p, k), stops = (p->A->nt - 1 - h) / heads;
    for (size_t d = distance / 2; d > 0; d /= 2)
        if (h - k + d < heads)
            return h + d;
    return h + stops * heads;
}

/* Heads t and t + distance meet on the ranks of the latter. */
static void reduce_level(struct problem *p, size_t k, size_t distance)
{
    size_t nt = p->A->nt, columns = world()->columns, end = k + qr_heads(p, k);
    for (size_t t = k; t + distance < end; t += 2 * distance) {
        size_t m = t + distance;
        exchange_move_row(p, t, k, stop_before(p, k, t, distance), m);
        exchange_move_row(p, m, k, stop_before(p, k, m, distance), m);
    }
    exchange_complete(p);
    exchange_settle(p); /* A(m,k) has been shared */
    for (size_t t = k; t + distance < end; t += 2 * distance) {
        size_t m = t + distance;
        if (is_here(m, k))
            reduce_pair(p, k, t, m);
        share_pair(p, m, k);
    }
    exchange_complete(p);
    for (size_t t = k; t + distance < end; t += 2 * distance)
        for (size_t n = first_column_here(k + 1); n < nt && is_row_here(t + distance); n += columns)
            apply_pair(p, k, t, t + distance, n);
}

void qr_mpi_tasks(struct problem *p)
{
    qr_use_domains(p, p->parameters[QR_DOMAINS]);
    for (size_t k = 0; k < p->A->nt; k++) {
        size_t heads = qr_heads(p, k), distance = 1;
        factor_heads(p, k);
        reduce_domains(p, k);
        for (; distance < heads; distance *= 2)
            reduce_level(p, k, distance);
        exchange_move_row(p, k, k, stop_before(p, k, k, distance), k);
    }
}
