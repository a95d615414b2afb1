/* SPDX-License-Identifier: BSD-3-Clause
 * Three residuals, the largest over the fields; N = n² points, ‖·‖ the root of the sum of squares of a field:
 *
 *     Y-DFT    |Y(k,l) - direct sum| / (ε log2 N ‖X‖): some elements of some transforms
 *     Y-PROBE  |w Y - (F w) X| / (ε log2 N √N ‖X‖): all transforms, w a vector of random signs
 *     X-BACK   ‖F⁻¹ Y - X‖ / (ε log2 N ‖X‖): some transforms
 *
 * An FFT's error is at most about 7 u log2 N ‖Y‖, ‖Y‖ = √N ‖X‖ and u = ε / 2 (Higham, "Accuracy and Stability of
 * Numerical Algorithms", 2nd edition, SIAM 2002, section 24.1), spread over all elements; so correct results are below
 * 10. F w is computed by FFTW too, and is right if transforms agree with direct sums; since F is symmetric,
 * w (F X) = (F w) X. An error in a single element is never missed. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "benchmarks/batched-fft/fft.h"
#include "common/base/sizes.h"

static const double THRESHOLD = 30.0, PI = 3.14159265358979323846;

/* Of `fast`: fields that are transformed back, and those of which elements are summed; elements of each. Of `full`:
 * elements of each, all of them of small fields. */
enum {
    BACK_FIELDS = 2,
    DIRECT_FIELDS = 16,
    FAST_ELEMENTS = 4,
    FULL_ELEMENTS = 16,
    SMALL_FIELD = 1024
};

enum { DFT, PROBE, BACK, KINDS };

struct verifier {
    const struct problem *p;
    enum check check;
    double *roots;   /* exp(-2πi t / n) */
    double *w, *Fw;  /* signs, and their transform */
    double *scratch; /* a field for each thread */
    double worst[KINDS];
};

struct complex_number {
    double re, im;
};

static size_t stride(const struct problem *p)
{
    return fields_of(p)->stride;
}

size_t fft_verify_bytes(const struct problem *p, enum check check)
{
    (void)check; /* the same for each */
    size_t points = saturating_multiply(p->n, p->n);
    size_t doubles =
        saturating_multiply(saturating_add(saturating_multiply(points, 2), 8), p->threads + 2);
    return saturating_multiply(saturating_add(doubles, 2 * p->n), sizeof(double));
}

static struct complex_number add(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re + b.re, a.im + b.im};
}

static struct complex_number multiply(const double *a, const double *b)
{
    return (struct complex_number){a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
}

static double distance(struct complex_number a, struct complex_number b)
{
    return hypot(a.re - b.re, a.im - b.im);
}

/* Σ x(i) y(i) over a row: rows are added up apart, so that roundings stay small. */
static struct complex_number row_product(const double *x, const double *y, size_t n)
{
    struct complex_number sum = {0};
    for (size_t i = 0; i < n; i++)
        sum = add(sum, multiply(x + 2 * i, y + 2 * i));
    return sum;
}

static struct complex_number product(const struct problem *p, const double *x, const double *y)
{
    struct complex_number sum = {0};
    for (size_t row = 0; row < p->n; row++)
        sum = add(sum, row_product(x + 2 * row * p->n, y + 2 * row * p->n, p->n));
    return sum;
}

/* Element (k, l) of a field's transform by its definition. */
static struct complex_number direct_sum(const struct verifier *v, const double *x, size_t k,
                                        size_t l)
{
    size_t n = v->p->n;
    struct complex_number sum = {0};
    for (size_t i = 0; i < n; i++) {
        struct complex_number row = {0};
        for (size_t j = 0; j < n; j++)
            row = add(row, multiply(x + 2 * (i * n + j), v->roots + 2 * (l * j % n)));
        const double inner[] = {row.re, row.im};
        sum = add(sum, multiply(inner, v->roots + 2 * (k * i % n)));
    }
    return sum;
}

static double norm(const struct problem *p, const double *x)
{
    double squares = 0.0;
    for (size_t row = 0; row < p->n; row++) {
        double sum = 0.0;
        for (size_t i = 2 * row * p->n; i < 2 * (row + 1) * p->n; i++)
            sum += x[i] * x[i];
        squares += sum;
    }
    return sqrt(squares);
}

/* ε log2 N, N at least 2. */
static double unit(const struct problem *p)
{
    return DBL_EPSILON * fmax(1.0, log2((double)fft_points(p)));
}

/* Which elements: the first ones, and others as if at random. */
static size_t element(const struct problem *p, size_t b, size_t number, size_t count)
{
    return count == fft_points(p)
               ? number
               : (number * (size_t)2654435761u + b * (size_t)40503u) % fft_points(p);
}

static double direct_error(const struct verifier *v, size_t b, double length)
{
    const struct problem *p = v->p;
    size_t most = fft_points(p) <= SMALL_FIELD ? SMALL_FIELD : FULL_ELEMENTS;
    size_t count = smaller(v->check == CHECK_FULL ? most : FAST_ELEMENTS, fft_points(p));
    double worst = 0.0;
    for (size_t number = 0; number < count; number++) {
        size_t e = element(p, b, number, count);
        const double *y = fft_transform(p, b) + 2 * e;
        struct complex_number found = {y[0], y[1]};
        struct complex_number sum = direct_sum(v, fft_field(p, b), e / p->n, e % p->n);
        worst = worse(worst, distance(found, sum));
    }
    return worst / (unit(p) * length);
}

static double probe_error(const struct verifier *v, size_t b, double length)
{
    const struct problem *p = v->p;
    double error =
        distance(product(p, v->w, fft_transform(p, b)), product(p, v->Fw, fft_field(p, b)));
    return error / (unit(p) * (double)p->n * length);
}

static double back_error(const struct verifier *v, size_t b, double length, double *z)
{
    const struct problem *p = v->p;
    const double *x = fft_field(p, b);
    plans_execute(fields_of(p)->plans, PLAN_BACK, fft_transform(p, b), z);
    for (size_t i = 0; i < 2 * fft_points(p); i++)
        z[i] = z[i] / (double)fft_points(p) - x[i];
    return norm(p, z) / (unit(p) * length);
}

static void verify_field(const struct verifier *v, size_t b, double *z, double *worst)
{
    bool full = v->check == CHECK_FULL;
    double length = norm(v->p, fft_field(v->p, b));
    worst[PROBE] = worse(worst[PROBE], probe_error(v, b, length));
    if (full || b < DIRECT_FIELDS)
        worst[DFT] = worse(worst[DFT], direct_error(v, b, length));
    if (full || b < BACK_FIELDS)
        worst[BACK] = worse(worst[BACK], back_error(v, b, length, z));
}

static void fill_probe(const struct verifier *v)
{
    const struct problem *p = v->p;
    for (size_t i = 0; i < fft_points(p); i++) {
        v->w[2 * i] = input_sign(p->input.seed, i, 0);
        v->w[2 * i + 1] = 0.0;
    }
    plans_execute(fields_of(p)->plans, PLAN_FLAT, v->w, v->Fw);
    for (size_t t = 0; t < p->n; t++) {
        double angle = 2 * PI * (double)t / (double)p->n;
        v->roots[2 * t] = cos(angle);
        v->roots[2 * t + 1] = -sin(angle);
    }
}

static void verify_fields(struct verifier *v)
{
    const struct problem *p = v->p;
    size_t threads = p->threads;
#pragma omp parallel for num_threads((int)threads) schedule(static, 1) firstprivate(v, p, threads)
    for (size_t thread = 0; thread < threads; thread++) {
        double worst[KINDS] = {0};
        for (size_t b = thread; b < fft_batch(p); b += threads)
            verify_field(v, b, v->scratch + thread * stride(p), worst);
#pragma omp critical(pollux_fft_verify)
        for (int kind = 0; kind < KINDS; kind++)
            v->worst[kind] = worse(v->worst[kind], worst[kind]);
    }
}

bool fft_verify(struct problem *p, enum check check, struct verification *result)
{
    static const char *const names[] = {[DFT] = "Y-DFT", [PROBE] = "Y-PROBE", [BACK] = "X-BACK"};
    enum { LINE_BYTES = 64 };
    size_t field = stride(p) * sizeof(double);
    struct verifier v = {.p = p,
                         .check = check,
                         .roots = malloc(2 * p->n * sizeof(double)),
                         .w = aligned_alloc(LINE_BYTES, field),
                         .Fw = aligned_alloc(LINE_BYTES, field),
                         .scratch = aligned_alloc(LINE_BYTES, p->threads * field)};
    bool created = v.roots && v.w && v.Fw && v.scratch;
    if (created) {
        fill_probe(&v);
        verify_fields(&v);
        for (int kind = 0; kind < KINDS; kind++)
            verification_add(result, names[kind], v.worst[kind], THRESHOLD);
    }
    free(v.roots);
    free(v.w);
    free(v.Fw);
    free(v.scratch);
    return created;
}
