/* SPDX-License-Identifier: BSD-3-Clause
 * One row for each family, benchmark and range of sizes; docs/performance.md gives their
 * origin, docs/tuning.md how to find others. */
#include "common/matrix/default_tile.h"

#include <stdint.h>
#include <string.h>

#include "common/base/sizes.h"

/* The default for matrices of at most `up_to` columns: tiles of nb columns, and `height` times as many
 * rows; WHOLE: a tile is a whole column. */
struct row {
    const char *family, *benchmark;
    size_t up_to, height, nb, ib;
};

enum { WHOLE = 0 };

#define MORE SIZE_MAX

static const struct row rows[] = {
    /* measured */
    {"zen4", "cholesky", 1447, 1, 128, 0},
    {"zen4", "cholesky", 2895, 1, 256, 0},
    {"zen4", "cholesky", MORE, 1, 384, 0},
    {"zen4", "lu", 1447, WHOLE, 64, 0},
    {"zen4", "lu", 2895, WHOLE, 128, 0},
    {"zen4", "lu", 5792, WHOLE, 192, 0},
    {"zen4", "lu", MORE, WHOLE, 384, 0},
    {"zen4", "lu-cw", 2895, 1, 128, 0},
    {"zen4", "lu-cw", MORE, 1, 256, 0},
    {"zen4", "qr", 1447, WHOLE, 64, 32},
    {"zen4", "qr", 2895, WHOLE, 96, 64},
    {"zen4", "qr", 5792, WHOLE, 192, 64},
    {"zen4", "qr", MORE, WHOLE, 256, 64},
    /* guesses */
    {PROCESSOR_ANY, "cholesky", MORE, 4, 192, 0},
    {PROCESSOR_ANY, "lu", MORE, 4, 192, 0},
    {PROCESSOR_ANY, "lu-cw", MORE, 4, 192, 0},
    {PROCESSOR_ANY, "qr", MORE, 4, 192, 64},
};

static const struct row *find_row(const char *family, const char *benchmark, size_t n)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].family, family) == 0 && strcmp(rows[i].benchmark, benchmark) == 0 &&
            n <= rows[i].up_to)
            return &rows[i];
    return NULL;
}

static size_t squares(size_t m, size_t n, size_t nb)
{
    return ceiling(m, nb) * ceiling(n, nb);
}

/* The width, halved while there are too few square tiles of it for every thread. */
static size_t narrowed(size_t m, size_t n, size_t nb, size_t threads)
{
    while (nb >= 2 * (size_t)NARROW_TILE && squares(m, n, nb) < TASKS_PER_THREAD * threads)
        nb /= 2;
    return nb;
}

/* Tile columns' worth of rows that leave enough tiles for every thread; at least 1. */
static size_t highest(size_t m, size_t n, size_t nb, size_t threads)
{
    size_t height = squares(m, n, nb) / (TASKS_PER_THREAD * threads);
    return height > 0 ? height : 1;
}

struct tile_choice default_tile(struct processor processor, const char *benchmark, size_t m,
                                size_t n, size_t threads)
{
    static const struct row unknown = {PROCESSOR_ANY, "", MORE, 1, 192, 32};
    const struct row *row = find_row(processor_family(processor), benchmark, n);
    if (!row)
        row = find_row(PROCESSOR_ANY, benchmark, n);
    if (!row)
        row = &unknown;
    size_t nb = narrowed(m, n, row->nb, threads), whole = ceiling(m, nb);
    size_t height = row->height == WHOLE ? whole : smaller(row->height, whole);
    height = smaller(height, highest(m, n, nb, threads));
    return (struct tile_choice){{height * nb, nb}, row->ib};
}
