/* SPDX-License-Identifier: BSD-3-Clause
 * A matrix whose tiles live on several ranks, block-cyclically on their grid:
 *
 *            column 0  1  0  1              tile (i, j) lives on rank (i mod P, j mod Q).
 *     row 0       | 0  1  0  1 |            problem->A names the tiles that live here, and next to
 *     row 1       | 2  3  2  3 |  2 × 2     them buffers for tiles of other ranks that tasks of
 *     row 0       | 0  1  0  1 |            this rank read, or write while they are here. All
 *                                           other tiles have no address (NULL).
 *
 * A buffer is used again `ahead` steps later. The task that receives a tile writes the buffer, and those that read the
 * tile name it: so the dependences of the tasks keep a tile from being overwritten, and no task waits for memory. */
#ifndef POLLUX_BENCHMARKS_MPI_SPREAD_H
#define POLLUX_BENCHMARKS_MPI_SPREAD_H

#include <stdint.h>

#include "benchmarks/mpi/world.h"
#include "common/run/benchmark.h"

struct exchange;
struct message_log;

enum { COMPANIONS_MAX = 2 };

/** What messages hold; with the tile or the step it tells them apart. */
enum message_kind {
    KIND_TILE,
    KIND_FIRST_COMPANION,
    KIND_STEP,
    KIND_SECOND_COMPANION,
    KIND_CANDIDATE, /**< this and the next are of a column of the matrix */
    KIND_WINNER
};

/** A factorization whose tiles are spread: what all of them share asks this. */
struct spreading {
    bool lower; /**< only tiles on and below the diagonal exist */
    /** The tiles of a column from the diagonal down are final on the rank of the diagonal, and go from there to those
     * that read them, and home. */
    bool panels_together;
    enum message_kind last_kind; /**< of its messages */
    size_t shared_again;         /**< how often a tile is shared after the first time, at most */
    /** Calls add(argument, i, j) for the tiles whose tasks read tile (i, j) of step min(i, j) when it is final: at
     * least one for each rank that has such tasks. */
    void (*for_readers)(const struct tile_matrix *A, size_t i, size_t j,
                        void (*add)(void *argument, size_t i, size_t j), void *argument);
    /** The same, for each time that tile (i, j) is moved (exchange_move), with a tile of the rank to which it comes.
     * NULL: none is. */
    void (*for_moves)(const struct problem *p, const struct tile_matrix *A, size_t i, size_t j,
                      void (*add)(void *argument, size_t i, size_t j), void *argument);
    /** Steps whose tiles are in flight at a time, whatever --ahead says. NULL: 1. */
    size_t (*least_ahead)(const struct problem *p, const struct tile_matrix *A);
    /** Creates the tasks of this rank, and calls what is in exchange.h between them. */
    void (*tasks)(struct problem *p);
    /** Further messages of this rank, at most. NULL: none. */
    size_t (*further)(const struct tile_matrix *A);
    /** Y := (product of the factors) X on every rank; X and Y are whole. Called by all ranks together. */
    void (*multiply)(struct problem *p, struct tile X, struct tile Y);
    /** The benchmark and the variant whose tasks, in one process, call the same kernels. */
    const char *graph_benchmark, *graph_variant;
    /** The parameters of that variant. NULL: it has none. */
    json_t *(*graph_parameters)(const struct problem *p);
    /** Matrices with a tile for each of A, for each of which spread_add_companion is called. */
    size_t companions;
    /** X := Qᵀ (Q X). NULL for factorizations without an orthogonal factor. */
    void (*round_trip)(struct problem *p, struct tile X);
};

/** What the ranks sent each other in one run, and how long the fastest took. */
struct traffic {
    uint64_t messages, bytes;
    double fastest_seconds;
    /** Of the rank that has most: the whole process so far, its tiles with those in flight, those in flight. */
    uint64_t peak_bytes, matrix_bytes, in_flight_bytes;
};

struct spread {
    const struct spreading *about;
    struct tile_matrix *A;
    struct tile_matrix *companions[COMPANIONS_MAX]; /**< a tile for each of A, where A's is */
    size_t here;                                    /**< tiles that live on this rank */
    size_t buffers;                                 /**< for tiles of other ranks */
    size_t transfers; /**< messages of this rank, sent and received, in one run */
    size_t bytes, buffer_bytes;
    size_t *tiles; /**< i + j*mt of those that live here, in the order of their addresses */
    struct traffic traffic;    /**< of all ranks, in the last run */
    struct exchange *exchange; /**< of the run that goes on */
    uint64_t calls;            /**< of kernels on this rank, in the last run */
    struct message_log *log;   /**< of the last run; NULL unless it was traced */
};

/** Whether the tiles of a row live here, as far as their columns do. */
static inline bool is_row_here(size_t i)
{
    return i % world()->rows == world()->row;
}

static inline bool is_column_here(size_t j)
{
    return j % world()->columns == world()->column;
}

/** Whether a tile lives here. */
static inline bool is_here(size_t i, size_t j)
{
    return is_row_here(i) && is_column_here(j);
}

/** The first row, or column, from `first` on whose tiles live here; the next is world()->rows, or columns, further. */
size_t first_row_here(size_t first);
size_t first_column_here(size_t first);

/** The ranks that a final tile goes to, the one on which it became final first, then in ascending order.
 * @param[out] ranks world()->ranks at most
 * @return how many, the first included */
size_t spread_route(const struct spread *s, size_t i, size_t j, int *ranks);

/** Functions of a benchmark's description (common/run/benchmark.h), given what is special to it. */
int spread_create(struct problem *p, const struct spreading *about);

/** After spread_create: makes a companion, a matrix of as many tiles. It is released by spread_destroy.
 * @return 0, or -1 if out of memory */
int spread_add_companion(struct problem *p, size_t which, size_t m, size_t n, size_t mb, size_t nb);

void spread_destroy(struct problem *p);
/** Ends all ranks where MPI has no messages for such tiles.
 * @param[in] doubles further ones for each tile: those of a companion */
size_t spread_bytes(const struct problem *p, const struct spreading *about, size_t doubles);
void spread_generate(struct problem *p);
/** The coordinates of the tile that names a call, by its address. It lives here, or is the first of those left of the
 * step's column, which come to the rank of the diagonal: other buffers, which have held several tiles, name no call. */
bool spread_locate(const struct problem *p, size_t step, const void *object, size_t *i, size_t *j);
uint64_t spread_digest(const struct problem *p);
void spread_conclude(struct problem *p, struct share *share);
json_t *spread_describe(const struct problem *p);

#endif
