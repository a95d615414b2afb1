/* SPDX-License-Identifier: BSD-3-Clause
 * A matrix stored by tiles: each tile contiguous, column-major and aligned to a cache line.
 *
 *            nb      nb    n - 2 nb
 *         +-------+-------+---+
 *     mb  | (0,0) | (0,1) |   |     tile (i, j) holds rows i*mb … and columns j*nb …;
 *         +-------+-------+---+     the last row and column of tiles may be smaller.
 *  m - mb | (1,0) | (1,1) |   |
 *         +-------+-------+---+
 *
 * The address of a tile's first element stands for the tile in a `depend` clause.
 *
 * A factorization proceeds in steps of nb columns. Its step k works from row k*nb down. Where tiles are
 * taller than wide, mb is a multiple of nb, and that row is inside a tile: the step's topmost tile. */
#ifndef POLLUX_COMMON_TILE_MATRIX_H
#define POLLUX_COMMON_TILE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

/** A view of one tile, of a part of one, or of any column-major matrix; it never owns its elements. */
struct tile {
    double *a;            /**< element (0, 0) */
    size_t rows;          /**< rows in use */
    size_t cols;          /**< columns in use */
    size_t ld;            /**< elements between two columns, >= rows */
    const double *origin; /**< first element of what this is all or a part of: it names the tile */
};

/** An m × n matrix in tiles of mb × nb. */
struct tile_matrix {
    size_t m, n;     /**< rows and columns of the matrix */
    size_t mb, nb;   /**< rows and columns of an inner tile */
    size_t mt, nt;   /**< rows and columns of tiles */
    double **column; /**< column[i + j * mt]: first element of tile (i, j) */
    double *storage; /**< all tiles, column of tiles after column of tiles */
    size_t bytes;    /**< size of storage */
    void *mapping;   /**< the mapping that contains the storage; NULL: it is on the heap */
    size_t mapped_bytes;
};

struct topology;

/** The leading dimension used for a tile of that many rows: a multiple of a cache line that is not
 * a multiple of 1 KiB, since columns at such distances share few cache sets. */
size_t tile_leading_dimension(size_t rows);

/** Bytes that tile_matrix_create would allocate. Saturates at SIZE_MAX instead of overflowing. */
size_t tile_matrix_bytes(size_t m, size_t n, size_t mb, size_t nb);

/** Allocates an m × n matrix of zeros; the pages of all but small ones, huge pages where the system has
 * them, are allocated when first written. A tile size above the matrix's is cut to it.
 * @param[in] interleave the machine over whose NUMA nodes the pages are spread in turn, or NULL:
 *                       each page goes to the node of the thread that first writes it
 * @return the matrix, or NULL if out of memory; release with tile_matrix_destroy. */
struct tile_matrix *tile_matrix_create(size_t m, size_t n, size_t mb, size_t nb,
                                       const struct topology *interleave);

/** The same with room for a number of tiles only; no tile has a place yet (`column` is all NULL).
 * @param[in] tiles at least one */
struct tile_matrix *tile_matrix_create_part(size_t m, size_t n, size_t mb, size_t nb, size_t tiles,
                                            const struct topology *interleave);

/** The place of a tile in the storage, counted from 0. */
double *tile_matrix_place(const struct tile_matrix *A, size_t index);

/** Bytes of that many tiles. Saturates at SIZE_MAX. */
size_t tile_matrix_part_bytes(size_t m, size_t n, size_t mb, size_t nb, size_t tiles);

/** Releases a matrix; NULL is fine. */
void tile_matrix_destroy(struct tile_matrix *A);

/** Address of the first element of tile (i, j): what a `depend` clause names. */
static inline double *tile_address(const struct tile_matrix *A, size_t i, size_t j)
{
    return A->column[i + j * A->mt];
}

/** Addresses of the tiles (0, j), (1, j) … of a column. */
static inline double *const *tile_column(const struct tile_matrix *A, size_t j)
{
    return A->column + j * A->mt;
}

/** Finds the tile that an address stands for.
 * @return false if it is no tile's first element */
bool tile_matrix_locate(const struct tile_matrix *A, const void *address, size_t *i, size_t *j);

/** Rows of the tiles in row i. */
static inline size_t tile_rows(const struct tile_matrix *A, size_t i)
{
    return i + 1 < A->mt ? A->mb : A->m - i * A->mb;
}

/** Columns of the tiles in column j. */
static inline size_t tile_cols(const struct tile_matrix *A, size_t j)
{
    return j + 1 < A->nt ? A->nb : A->n - j * A->nb;
}

/** Tile (i, j). */
struct tile tile_at(const struct tile_matrix *A, size_t i, size_t j);

/** Steps of a factorization: blocks of nb columns on the diagonal. */
size_t tile_steps(const struct tile_matrix *A);

/** The row of tiles that holds row k*nb, the topmost one of step k: k with square tiles. */
static inline size_t tile_top(const struct tile_matrix *A, size_t k)
{
    return k * A->nb / A->mb;
}

/** The first row of tiles below the topmost one of step k: k + 1 with square tiles. */
static inline size_t tile_below(const struct tile_matrix *A, size_t k)
{
    return tile_top(A, k) + 1;
}

/** Address of the topmost tile of step k in column j: A(k,j) with square tiles. */
static inline double *tile_address_at_step(const struct tile_matrix *A, size_t k, size_t j)
{
    return tile_address(A, tile_top(A, k), j);
}

/** The part of step k's topmost tile in column j that the step works on: from row k*nb down. */
struct tile tile_at_step(const struct tile_matrix *A, size_t k, size_t j);

/** Rows k*nb … of column j, as many as a step has: at most nb. */
struct tile tile_block(const struct tile_matrix *A, size_t k, size_t j);

/* Views are taken of a few columns at a time: calls would cost the panels of QR a tenth of their speed. */

/** The matrix of that size and leading dimension at `a`. */
static inline struct tile tile_view(double *a, size_t rows, size_t cols, size_t ld)
{
    struct tile t = {a, rows, cols, ld, a};
    return t;
}

/** Rows [i, i + rows) and columns [j, j + cols) of a tile, or of a part of one. */
static inline struct tile tile_submatrix(struct tile t, size_t i, size_t j, size_t rows,
                                         size_t cols)
{
    struct tile part = {t.a + i + j * t.ld, rows, cols, t.ld, t.origin};
    return part;
}

/** Rows [first, first + rows) of a tile, or of a part of one. */
static inline struct tile tile_part(struct tile t, size_t first, size_t rows)
{
    return tile_submatrix(t, first, 0, rows, t.cols);
}

/** to := from; both have the same size, and do not overlap. */
void tile_copy(struct tile from, struct tile to);

/** Sets all elements to zero. */
void tile_clear(struct tile t);

/** The sum of the squares of all elements, ‖t‖² (Frobenius). */
double tile_squares(struct tile t);

/** Element (i, j) of the whole matrix, for tests and small tables. */
double *tile_matrix_element(const struct tile_matrix *A, size_t i, size_t j);

#endif
