/* SPDX-License-Identifier: BSD-3-Clause
 * FFTW's planner is not safe to call from several threads, its plans are safe to execute from several. New arrays must
 * have the alignment of those of the plan. */
#include <dlfcn.h>
#include <fftw3.h>
#include <stdlib.h>

#include "benchmarks/batched-fft/fft.h"

struct plans {
    fftw_plan plan[PLANS];
};

static fftw_complex *points(double *field)
{
    return (fftw_complex *)field;
}

static fftw_plan make_plan(const struct problem *p, int sign, size_t threads)
{
    fftw_plan_with_nthreads((int)threads);
    return fftw_plan_dft_2d((int)p->n, (int)p->n, points(fft_field(p, 0)),
                            points(fft_transform(p, 0)), sign, FFTW_ESTIMATE);
}

struct plans *plans_create(const struct problem *p)
{
    struct plans *plans = calloc(1, sizeof *plans);
    if (!plans || !fftw_init_threads()) {
        free(plans);
        return NULL;
    }
    plans->plan[PLAN_FLAT] = make_plan(p, FFTW_FORWARD, 1);
    plans->plan[PLAN_BACK] = make_plan(p, FFTW_BACKWARD, 1);
    plans->plan[PLAN_NESTED] = make_plan(p, FFTW_FORWARD, p->parameters[FFT_INNER]);
    for (size_t i = 0; i < PLANS; i++)
        if (!plans->plan[i]) {
            plans_destroy(plans);
            return NULL;
        }
    return plans;
}

void plans_destroy(struct plans *plans)
{
    for (size_t i = 0; plans && i < PLANS; i++)
        if (plans->plan[i])
            fftw_destroy_plan(plans->plan[i]);
    free(plans);
}

void plans_execute(const struct plans *plans, enum fft_plan plan, double *from, double *to)
{
    fftw_execute_dft(plans->plan[plan], points(from), points(to));
}

/* What FFTW calls where a plan of several threads has several jobs. */
static void run_jobs(void *(*work)(char *job), char *first, size_t bytes, int count, void *problem)
{
    fft_run_jobs(problem, (struct jobs){work, first, bytes, (size_t)count});
}

void plans_use_teams(struct problem *p)
{
    fftw_threads_set_callback(run_jobs, p);
}

/* The program's own copy has the length of the text that it was linked with. */
const char *fftw_code(enum kernel_set set)
{
    const char *loaded = dlsym(RTLD_NEXT, "fftw_version");
    (void)set; /* there is one */
    return loaded ? loaded : fftw_version;
}
