/* SPDX-License-Identifier: BSD-3-Clause
 * A batch of two-dimensional complex Fourier transforms by FFTW, as plane-wave codes such as Qbox do them: Y(b) := F X(b)
 * for fields b of n × n points,
 *
 *     Y(k, l) = Σ X(i, j) exp(-2πi (k i + l j) / n), i, j = 0 … n - 1.
 *
 * Plans are made beforehand by one thread, with FFTW_ESTIMATE: the same on every run. FFTW divides a transform into
 * jobs and has them run by a loop that a program may supply: here a parallel region of the runtime under test.
 * Row i of a field is its i-th run of n points, each a real and an imaginary part. */
#ifndef POLLUX_BENCHMARKS_BATCHED_FFT_FFT_H
#define POLLUX_BENCHMARKS_BATCHED_FFT_FFT_H

#include "common/run/benchmark.h"

extern const struct benchmark batched_fft;

/** Indices of the parameters. */
enum { FFT_BATCH, FFT_INNER };

/** The plans: of one thread, of a team inside each transform, and back. */
enum fft_plan { PLAN_FLAT, PLAN_NESTED, PLAN_BACK, PLANS };

struct plans;

/** What the benchmark adds to a problem. */
struct fields {
    size_t stride;       /**< doubles from one field to the next */
    double *X, *Y;       /**< fields and transforms */
    struct plans *plans; /**< of fftw.c */
    struct tile_matrix *storage[2];
};

static inline struct fields *fields_of(const struct problem *p)
{
    return (struct fields *)p->factors; /* the tests are C++ */
}

/** Fields, and points of one. */
static inline size_t fft_batch(const struct problem *p)
{
    return p->parameters[FFT_BATCH];
}

static inline size_t fft_points(const struct problem *p)
{
    return p->n * p->n;
}

/** The field or transform b: interleaved real and imaginary parts. */
static inline double *fft_field(const struct problem *p, size_t b)
{
    return fields_of(p)->X + b * fields_of(p)->stride;
}

static inline double *fft_transform(const struct problem *p, size_t b)
{
    return fields_of(p)->Y + b * fields_of(p)->stride;
}

/** Blocks of nb fields: what one task or iteration of the outer loop transforms. */
size_t fft_blocks(const struct problem *p);

/* ---- fftw.c: all that calls FFTW ---- */

/** Makes the plans of a problem whose fields are allocated. @return NULL if out of memory */
struct plans *plans_create(const struct problem *p);

void plans_destroy(struct plans *plans);

/** to := the transform of from by that plan; both are fields, aligned as those of the problem. */
void plans_execute(const struct plans *plans, enum fft_plan plan, double *from, double *to);

/** From now on FFTW's jobs of this process run on teams of the problem; one problem at a time. */
void plans_use_teams(struct problem *p);

/** FFTW's version and the instruction sets that it was built for: "fftw-3.3.10-sse2-avx". */
const char *fftw_code(enum kernel_set set);

/** The jobs of one transform. Threads get them by value: nothing of the task's stack is shared. */
struct jobs {
    void *(*work)(char *job);
    char *first;
    size_t bytes, count; /**< from one to the next; how many */
};

/** Runs them on a team inside the calling task or iteration. */
void fft_run_jobs(struct problem *p, struct jobs jobs);

/** Runs one of them; called by the threads of that team. */
void fft_run_job(struct problem *p, struct jobs jobs, size_t job);

/* ---- kernels ---- */

/* Y(b) := F X(b) for the fields of a block, on this thread */
void fft_compute(struct problem *p, size_t block);
/* The same, with a team inside each transform */
void fft_compute_nested(struct problem *p, size_t block);

/* ---- loops and task graphs ---- */

void fft_seq(struct problem *p);
void fft_flat(struct problem *p);
void fft_nested(struct problem *p);
void fft_task(struct problem *p);
void fft_task_nested(struct problem *p);

/* ---- functions of the benchmark's description (common/run/benchmark.h) ---- */

extern const struct kernel about_fft;
int fft_create(struct problem *p);
void fft_destroy(struct problem *p);
size_t fft_bytes(const struct problem *p);
/** Bytes that fft_verify allocates, or SIZE_MAX. */
size_t fft_verify_bytes(const struct problem *p, enum check check);
void fft_generate(struct problem *p);
bool fft_verify(struct problem *p, enum check check, struct verification *result);
double fft_operations(const struct problem *p);
double fft_tasks(const struct problem *p, const struct variant *variant);
size_t fft_figures(const struct problem *p, double seconds, struct figure *figures);
uint64_t fft_digest(const struct problem *p);
void fft_coordinates(const struct problem *p, size_t k, const void *object, size_t *i, size_t *j);

#endif
