/* SPDX-License-Identifier: BSD-3-Clause
 * Fields begin at cache lines, so that all have the alignment of the first one, for which the plans are made. */
#include <math.h>
#include <stdlib.h>

#include "benchmarks/batched-fft/fft.h"
#include "common/base/sizes.h"
#include "common/matrix/digest.h"

enum { LINE = 8 };

static size_t field_doubles(const struct problem *p)
{
    size_t doubles = saturating_multiply(saturating_multiply(p->n, p->n), 2);
    return saturating_multiply(ceiling(doubles, LINE), LINE);
}

static size_t batch_bytes(const struct problem *p)
{
    size_t doubles = saturating_multiply(field_doubles(p), fft_batch(p));
    return saturating_multiply(doubles, sizeof(double));
}

/* FFTW's plans have tables of their own, of the size of a few rows. */
size_t fft_bytes(const struct problem *p)
{
    return saturating_multiply(batch_bytes(p), 2);
}

/* All fields, in a single tile. */
static double *allocate(const struct problem *p, struct tile_matrix **storage)
{
    size_t doubles = batch_bytes(p) / sizeof(double);
    *storage = tile_matrix_create(doubles, 1, doubles, 1, p->interleave);
    return *storage ? (*storage)->storage : NULL;
}

int fft_create(struct problem *p)
{
    struct fields *fields = calloc(1, sizeof *fields);
    p->factors = fields;
    if (!fields)
        return -1;
    fields->stride = field_doubles(p);
    fields->X = allocate(p, &fields->storage[0]);
    fields->Y = allocate(p, &fields->storage[1]);
    if (!fields->X || !fields->Y)
        return -1;
    fields->plans = plans_create(p);
    return fields->plans ? 0 : -1;
}

void fft_destroy(struct problem *p)
{
    struct fields *fields = fields_of(p);
    if (!fields)
        return;
    plans_destroy(fields->plans);
    tile_matrix_destroy(fields->storage[0]);
    tile_matrix_destroy(fields->storage[1]);
    free(fields);
    p->factors = NULL;
}

/* A field as a matrix of doubles, one of its rows a column. */
static struct tile rows_of(const struct problem *p, double *field)
{
    return tile_view(field, 2 * p->n, p->n, 2 * p->n);
}

/* What a transform leaves out stays NaN. */
void fft_generate(struct problem *p)
{
    struct input input = {INPUT_UNIFORM, 2 * p->n, p->n * fft_batch(p), p->input.seed, NULL};
#pragma omp parallel for schedule(static) num_threads((int)p->threads)
    for (size_t b = 0; b < fft_batch(p); b++) {
        input_tile(&input, 0, b * p->n, rows_of(p, fft_field(p, b)));
        for (size_t i = 0; i < 2 * fft_points(p); i++)
            fft_transform(p, b)[i] = NAN;
    }
}

double fft_operations(const struct problem *p)
{
    double one = about_fft.flops(sizes_mnk(p->n, p->n, 1));
    return (one > 1.0 ? one : 1.0) * (double)fft_batch(p);
}

double fft_tasks(const struct problem *p, const struct variant *variant)
{
    (void)variant; /* all call the same kernels */
    return (double)fft_batch(p);
}

size_t fft_figures(const struct problem *p, double seconds, struct figure *figures)
{
    figures[0] = (struct figure){"transforms_per_second", (double)fft_batch(p) / seconds};
    return 1;
}

uint64_t fft_digest(const struct problem *p)
{
    uint64_t digest = 0;
#pragma omp parallel for schedule(static) num_threads((int)p->threads)
    for (size_t b = 0; b < fft_batch(p); b++) {
        uint64_t own = digest_tile(rows_of(p, fft_transform(p, b)), b);
#pragma omp atomic
        digest += own;
    }
    return digest;
}

void fft_coordinates(const struct problem *p, size_t k, const void *object, size_t *i, size_t *j)
{
    (void)k;
    *i = (size_t)((const double *)object - fields_of(p)->Y) / fields_of(p)->stride;
    *j = 0;
}
