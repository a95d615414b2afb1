/* SPDX-License-Identifier: BSD-3-Clause
 * The panel of an LU step where its tiles are: column by column, each with the row of its pivot. The tiles may be in
 * several places, which then differ in nothing but the rows that they work on: for each column
 *
 *     kernel_panel_search    in each place: the candidate, the row with the largest element of the column here
 *     kernel_panel_pivot     in one: the winner, the candidate with the largest element of all
 *     kernel_panel_column    in each place: rows exchanged, the column divided, and what is right of it updated
 *
 * Candidates go to the place of the topmost tile, and winners from there to all. Operations are grouped by tiles, so the
 * result does not depend on where these are; they are grouped otherwise than those of kernel_getrf. */
#ifndef POLLUX_KERNELS_SPREAD_PANEL_H
#define POLLUX_KERNELS_SPREAD_PANEL_H

#include <stddef.h>

#include "common/execution/execution.h"
#include "common/matrix/tile_matrix.h"

extern const struct kernel about_panel_search, about_panel_pivot, about_panel_column;

/** What is kept of a panel besides its tiles, for panels of at most so many columns. */
struct panel_rows {
    size_t columns; /**< at most */
    size_t others;  /**< other places, at most */
    double *memory;
    double *candidates; /**< panel_candidate */
    double *winners;    /**< panel_winner */
    double *received;   /**< panel_received */
    struct tile top;    /**< the winners' rows, which become the first rows of the panel */
};

/** Memory of zeros. Saturates at SIZE_MAX. */
size_t panel_rows_bytes(size_t columns, size_t others);

/** @return 0, or -1 if out of memory */
int panel_rows_create(struct panel_rows *rows, size_t columns, size_t others);
void panel_rows_destroy(struct panel_rows *rows);
/** Puts them into other memory of as many bytes. */
void panel_rows_place(struct panel_rows *rows, double *memory);

/** Doubles of a candidate: its value, its row of the matrix (from 0), that row of the panel. */
size_t panel_candidate_doubles(size_t columns);
/** Doubles of a winner: those of a candidate, and the row of the panel that it is exchanged with. */
size_t panel_winner_doubles(size_t columns);

/** The candidate and the winner of a column of the panel, and the candidate that another place has sent. */
double *panel_candidate(const struct panel_rows *rows, size_t column);
double *panel_winner(const struct panel_rows *rows, size_t column);
double *panel_received(const struct panel_rows *rows, size_t other);

/** The panel of step k in one place. */
struct spread_panel {
    const struct tile_matrix *A;
    size_t k;
    /** The tiles here are in rows first, first + stride …, from tile_top(A, k) on. */
    size_t first, stride;
    size_t others; /**< candidates that come from other places, to that of the topmost tile */
    struct panel_rows *rows;
};

/** Pivots of step k: its columns, or its rows where these are fewer. */
size_t panel_pivot_count(const struct tile_matrix *A, size_t k);

void kernel_panel_search(struct execution *x, struct spread_panel panel, size_t column);

/** Fails if the largest element is zero, or one of the column is not finite. */
void kernel_panel_pivot(struct execution *x, struct spread_panel panel, size_t column);

/** @param[out] pivots as kernel_getrf's; written in the place of the topmost tile. Fails as kernel_panel_pivot did. */
void kernel_panel_column(struct execution *x, struct spread_panel panel, size_t column,
                         int *pivots);

/** The row of the matrix, from 0, that a column's pivot was found in. */
size_t panel_winner_row(struct spread_panel panel, size_t column);

/** Where the factorization has failed: a winner that is no pivot, in the row that it has. */
void panel_void_winner(struct spread_panel panel, size_t column);

/** The column of a panel that names one of its calls, by its address.
 * @return false if it names none */
bool panel_rows_locate(const struct panel_rows *rows, const void *object, size_t *column);

#endif
