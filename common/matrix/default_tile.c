/* SPDX-License-Identifier: BSD-3-Clause
 * One row for each family, kernel set, benchmark and range of sizes; docs/evaluation/performance.md gives their
 * origin, docs/tuning.md how to find others. */
#include "common/matrix/default_tile.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "common/base/sizes.h"

/* The tile for matrices of at most `up_to` columns: nb columns, and `height` times as many rows; WHOLE: a
 * tile is a whole column. */
struct row {
    const char *family;
    enum kernel_set kernels;
    const char *benchmark;
    size_t up_to, height, nb, ib;
};

struct table {
    const struct row *rows;
    size_t count;
};

enum { WHOLE = 0 };

#define MORE SIZE_MAX
#define OPENBLAS KERNELS_BLAS
#define TUNED KERNELS_TUNED
#define LOOPS KERNELS_LOOPS

/* The fastest square tiles: what is taken without --tile. */
static const struct row square_rows[] = {
    /* measured */
    {"zen4", TUNED, "cholesky", 1447, 1, 128, 0},
    {"zen4", TUNED, "cholesky", 2895, 1, 256, 0},
    {"zen4", TUNED, "cholesky", MORE, 1, 384, 0},
    {"zen4", TUNED, "lu", 1447, 1, 96, 0},
    {"zen4", TUNED, "lu", 2895, 1, 128, 0},
    {"zen4", TUNED, "lu", 5792, 1, 192, 0},
    {"zen4", TUNED, "lu", MORE, 1, 384, 0},
    {"zen4", TUNED, "lu-cw", 2895, 1, 128, 0},
    {"zen4", TUNED, "lu-cw", MORE, 1, 256, 0},
    /* measured at N = 1024, 2048, 4096 and 8192 */
    {"sapphirerapids", OPENBLAS, "cholesky", 1448, 1, 128, 0},
    {"sapphirerapids", OPENBLAS, "cholesky", 5792, 1, 192, 0},
    {"sapphirerapids", OPENBLAS, "cholesky", MORE, 1, 256, 0},
    {"sapphirerapids", OPENBLAS, "lu", 2896, 1, 128, 0},
    {"sapphirerapids", OPENBLAS, "lu", MORE, 1, 256, 0},
    {"sapphirerapids", OPENBLAS, "lu-cw", 1448, 1, 128, 0},
    {"sapphirerapids", OPENBLAS, "lu-cw", 2896, 1, 192, 0},
    {"sapphirerapids", OPENBLAS, "lu-cw", MORE, 1, 256, 0},
    {"sapphirerapids", OPENBLAS, "qr", 1448, 1, 128, 32},
    {"sapphirerapids", OPENBLAS, "qr", MORE, 1, 256, 32},
    {"sapphirerapids", TUNED, "cholesky", 2896, 1, 192, 0},
    {"sapphirerapids", TUNED, "cholesky", MORE, 1, 256, 0},
    /* measured on another Xeon at N = 1024, 2048 and 4096, LU-CW as LU */
    {"sapphirerapids", TUNED, "lu", 1448, 1, 128, 0},
    {"sapphirerapids", TUNED, "lu", 2896, 1, 192, 0},
    {"sapphirerapids", TUNED, "lu", MORE, 1, 256, 0},
    {"sapphirerapids", TUNED, "lu-cw", 1448, 1, 128, 0},
    {"sapphirerapids", TUNED, "lu-cw", 2896, 1, 192, 0},
    {"sapphirerapids", TUNED, "lu-cw", MORE, 1, 256, 0},
    {"sapphirerapids", TUNED, "qr", 1448, 1, 192, 32},
    {"sapphirerapids", TUNED, "qr", MORE, 1, 256, 64},
    /* interpolated from rates of kernels and runs of other sizes (docs/evaluation/performance.md) */
    {"zen4", TUNED, "qr", 1447, 1, 64, 32},
    {"zen4", TUNED, "qr", 2895, 1, 192, 64},
    {"zen4", TUNED, "qr", MORE, 1, 256, 64},
    {"zen4", OPENBLAS, "cholesky", 1447, 1, 128, 0},
    {"zen4", OPENBLAS, "cholesky", 2895, 1, 192, 0},
    {"zen4", OPENBLAS, "cholesky", MORE, 1, 384, 0},
    {"zen4", OPENBLAS, "lu", 1447, 1, 128, 0},
    {"zen4", OPENBLAS, "lu", 2895, 1, 192, 0},
    {"zen4", OPENBLAS, "lu", MORE, 1, 384, 0},
    {"zen4", OPENBLAS, "lu-cw", 1447, 1, 128, 0},
    {"zen4", OPENBLAS, "lu-cw", 2895, 1, 192, 0},
    {"zen4", OPENBLAS, "lu-cw", MORE, 1, 384, 0},
    {"zen4", OPENBLAS, "qr", 1447, 1, 128, 32},
    {"zen4", OPENBLAS, "qr", 2895, 1, 192, 32},
    {"zen4", OPENBLAS, "qr", MORE, 1, 256, 32},
    /* measured with AVX2 on Zen 3 at N = 1024, 2048 and 3000, LU-CW as LU: elsewhere guesses */
    {PROCESSOR_ANY, TUNED, "cholesky", 1448, 1, 128, 0},
    {PROCESSOR_ANY, TUNED, "cholesky", MORE, 1, 256, 0},
    {PROCESSOR_ANY, TUNED, "lu", 3500, 1, 128, 0},
    {PROCESSOR_ANY, TUNED, "lu", MORE, 1, 192, 0},
    {PROCESSOR_ANY, TUNED, "lu-cw", 3500, 1, 128, 0},
    {PROCESSOR_ANY, TUNED, "lu-cw", MORE, 1, 192, 0},
    {PROCESSOR_ANY, TUNED, "qr", 1448, 1, 192, 64},
    {PROCESSOR_ANY, TUNED, "qr", MORE, 1, 256, 64},
    /* measured with OpenBLAS' kernels for AVX2 (Haswell, Zen) at N = 512 to 5000 */
    {PROCESSOR_ANY, OPENBLAS, "cholesky", 1448, 1, 128, 0},
    {PROCESSOR_ANY, OPENBLAS, "cholesky", 2480, 1, 192, 0},
    {PROCESSOR_ANY, OPENBLAS, "cholesky", 3500, 1, 320, 0},
    {PROCESSOR_ANY, OPENBLAS, "cholesky", MORE, 1, 384, 0},
    {PROCESSOR_ANY, OPENBLAS, "lu", 1240, 1, 128, 0},
    {PROCESSOR_ANY, OPENBLAS, "lu", 1753, 1, 160, 0},
    {PROCESSOR_ANY, OPENBLAS, "lu", 2480, 1, 192, 0},
    {PROCESSOR_ANY, OPENBLAS, "lu", 3500, 1, 256, 0},
    {PROCESSOR_ANY, OPENBLAS, "lu", MORE, 1, 384, 0},
    {PROCESSOR_ANY, OPENBLAS, "lu-cw", 1240, 1, 128, 0},
    {PROCESSOR_ANY, OPENBLAS, "lu-cw", 1753, 1, 160, 0},
    {PROCESSOR_ANY, OPENBLAS, "lu-cw", 2480, 1, 192, 0},
    {PROCESSOR_ANY, OPENBLAS, "lu-cw", 3500, 1, 256, 0},
    {PROCESSOR_ANY, OPENBLAS, "lu-cw", MORE, 1, 384, 0},
    {PROCESSOR_ANY, OPENBLAS, "qr", 724, 1, 128, 32},
    {PROCESSOR_ANY, OPENBLAS, "qr", 1448, 1, 192, 32},
    {PROCESSOR_ANY, OPENBLAS, "qr", 2400, 1, 256, 64},
    {PROCESSOR_ANY, OPENBLAS, "qr", 4500, 1, 384, 64},
    {PROCESSOR_ANY, OPENBLAS, "qr", MORE, 1, 512, 64},
    /* measured with code for AVX2 on a Xeon at N = 1500 to 4096, where it differs from EPYCs */
    {"haswell", OPENBLAS, "cholesky", 1448, 1, 128, 0},
    {"haswell", OPENBLAS, "cholesky", 1753, 1, 192, 0},
    {"haswell", OPENBLAS, "cholesky", 3500, 1, 320, 0},
    {"haswell", OPENBLAS, "qr", 724, 1, 128, 32},
    {"haswell", OPENBLAS, "qr", 1240, 1, 192, 32},
    {"haswell", OPENBLAS, "qr", 1753, 1, 256, 32},
    {"haswell", OPENBLAS, "qr", 2480, 1, 320, 32},
    {"haswell", OPENBLAS, "qr", 3505, 1, 384, 64},
    {"haswell", OPENBLAS, "qr", MORE, 1, 512, 64},
    {"haswell", TUNED, "cholesky", 2121, 1, 128, 0},
    {"haswell", TUNED, "cholesky", 3500, 1, 192, 0},
    {"haswell", TUNED, "qr", 1448, 1, 192, 32},
    {"haswell", TUNED, "qr", 2480, 1, 256, 32},
    {"haswell", TUNED, "qr", MORE, 1, 384, 32},
    /* chosen by their own measurements (docs/tuning.md) */
    {PROCESSOR_ANY, OPENBLAS, "cell-tree", MORE, 1, 64, 0},
    {PROCESSOR_ANY, KERNELS_FFTW, "batched-fft", MORE, 1, 1, 0},
    {PROCESSOR_ANY, LOOPS, "jacobi", MORE, 1, 192, 0},
    {PROCESSOR_ANY, OPENBLAS, "strassen", 5792, 1, 1024, 0},
    {PROCESSOR_ANY, OPENBLAS, "strassen", MORE, 1, 2048, 0},
};

/* The fastest of all, where that is a tall tile: what --tile fastest takes; else it takes the square one. */
static const struct row tall_rows[] = {
    /* measured */
    {"zen4", TUNED, "lu", 1447, WHOLE, 64, 0},
    {"zen4", TUNED, "lu", 2895, WHOLE, 128, 0},
    {"zen4", TUNED, "lu", 5792, WHOLE, 192, 0},
    {"zen4", TUNED, "lu", MORE, WHOLE, 384, 0},
    {"zen4", TUNED, "qr", 1447, WHOLE, 64, 32},
    {"zen4", TUNED, "qr", 2895, WHOLE, 96, 64},
    {"zen4", TUNED, "qr", 5792, WHOLE, 192, 64},
    {"zen4", TUNED, "qr", MORE, WHOLE, 256, 64},
    /* measured at N = 1024 and 2048 */
    {"sapphirerapids", OPENBLAS, "lu", 1448, WHOLE, 96, 0},
    {"sapphirerapids", OPENBLAS, "lu", MORE, WHOLE, 192, 0},
    {"sapphirerapids", OPENBLAS, "lu-cw", 1448, 4, 96, 0},
    {"sapphirerapids", OPENBLAS, "lu-cw", MORE, WHOLE, 192, 0},
    {"sapphirerapids", OPENBLAS, "qr", 1448, WHOLE, 128, 64},
    {"sapphirerapids", OPENBLAS, "qr", MORE, WHOLE, 192, 64},
    /* guesses */
    {"zen4", OPENBLAS, "cholesky", MORE, 4, 192, 0},
    {"zen4", OPENBLAS, "lu", 2895, WHOLE, 128, 0},
    {"zen4", OPENBLAS, "lu", 5792, WHOLE, 192, 0},
    {"zen4", OPENBLAS, "lu", MORE, WHOLE, 384, 0},
    {"zen4", OPENBLAS, "lu-cw", MORE, 4, 192, 0},
    {"zen4", OPENBLAS, "qr", 2895, WHOLE, 128, 32},
    {"zen4", OPENBLAS, "qr", MORE, WHOLE, 256, 32},
    {PROCESSOR_ANY, TUNED, "lu", MORE, 4, 192, 0},
    {PROCESSOR_ANY, TUNED, "qr", MORE, 4, 192, 64},
    {PROCESSOR_ANY, OPENBLAS, "cholesky", MORE, 4, 192, 0},
    {PROCESSOR_ANY, OPENBLAS, "lu", MORE, 4, 192, 0},
    {PROCESSOR_ANY, OPENBLAS, "lu-cw", MORE, 4, 192, 0},
    {PROCESSOR_ANY, OPENBLAS, "qr", MORE, 4, 192, 64},
};

static const struct table square_table = {square_rows, sizeof square_rows / sizeof *square_rows};
static const struct table tall_table = {tall_rows, sizeof tall_rows / sizeof *tall_rows};

static const struct row *row_for(struct table table, const char *family, struct tile_key key,
                                 size_t n)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct row *row = &table.rows[i];
        if (strcmp(row->family, family) == 0 && row->kernels == key.kernels &&
            strcmp(row->benchmark, key.benchmark) == 0 && n <= row->up_to)
            return row;
    }
    return NULL;
}

/* Of one family: the tall tile, if it is asked for and faster, else the square one. */
static const struct row *row_of_family(const char *family, struct tile_key key, size_t n)
{
    const struct row *tall = key.fastest ? row_for(tall_table, family, key, n) : NULL;
    return tall ? tall : row_for(square_table, family, key, n);
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

/* The rows of BLAS kernels were measured with OpenBLAS. */
static bool is_other_blas(struct tile_key key)
{
#ifdef POLLUX_BLAS_IS_OPENBLAS
    (void)key;
    return false;
#else
    return key.kernels == KERNELS_BLAS;
#endif
}

/* Kernels of OpenBLAS, by their core, and the family whose rows were measured with them. Those for AVX2 come before
 * the rows of the processor, which were measured with other kernels. */
struct core {
    const char *name;
    bool is_avx2;
    const char *family;
};

static const struct core cores[] = {
    {"Haswell", true, "haswell"},
    {"Zen", true, PROCESSOR_ANY},
    {"SkylakeX", false, "sapphirerapids"},
    {"Cooperlake", false, "sapphirerapids"},
    {"SapphireRapids", false, "sapphirerapids"},
};

static const struct core *core_of(struct tile_key key)
{
    for (size_t i = 0; i < sizeof cores / sizeof *cores && key.core; i++)
        if (strcasecmp(key.core, cores[i].name) == 0)
            return &cores[i];
    return NULL;
}

static bool is_measured_with_avx2(struct tile_key key)
{
    const struct core *core = core_of(key);
    return key.kernels == KERNELS_BLAS && !is_other_blas(key) && core && core->is_avx2;
}

static const struct row *find_row(struct tile_key key, size_t n)
{
    static const struct row unknown = {PROCESSOR_ANY, OPENBLAS, "", MORE, 1, 192, 32};
    const struct core *core = core_of(key);
    const char *of_core = core ? core->family : PROCESSOR_ANY;
    const char *own = processor_family(key.processor);
    bool is_core_first = is_measured_with_avx2(key) || strcmp(own, PROCESSOR_ANY) == 0;
    const char *families[] = {is_core_first ? of_core : own, of_core, PROCESSOR_ANY};
    const struct row *row = NULL;
    for (size_t i = 0; i < sizeof families / sizeof *families && !row; i++)
        row = row_of_family(families[i], key, n);
    return row ? row : &unknown;
}

bool default_tile_is_guess(struct tile_key key)
{
    bool of_blas = key.kernels == KERNELS_BLAS || key.kernels == KERNELS_TUNED;
    const char *family = processor_family(key.processor);
    bool known = strcmp(family, PROCESSOR_ANY) != 0 && row_of_family(family, key, 1);
    return of_blas && (is_other_blas(key) || (!is_measured_with_avx2(key) && !known));
}

struct tile_choice default_tile(struct tile_key key, size_t m, size_t n, size_t threads)
{
    const struct row *row = find_row(key, n);
    size_t nb = narrowed(m, n, row->nb, threads), whole = ceiling(m, nb);
    size_t height = row->height == WHOLE ? whole : smaller(row->height, whole);
    height = smaller(height, highest(m, n, nb, threads));
    return (struct tile_choice){{height * nb, nb}, row->ib};
}
