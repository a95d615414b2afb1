/* SPDX-License-Identifier: BSD-3-Clause
 * Thin over the driver's run and the benchmarks' descriptions. */
#include "subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/run/run.h"
#include "tests/benchmarks.h"

enum { ACCESSES_MAX = 1024 };

struct subject {
    struct configuration configuration;
    struct problem *problem;
    uint64_t seed;
    struct observer observer;
    subject_callback callback;
    void *context;
    struct variant planted; /* in place of the configuration's */
};

static const struct benchmark *find_benchmark(const char *name)
{
    for (const struct benchmark *const *b = benchmarks; *b; b++)
        if (strcmp((*b)->name, name) == 0)
            return *b;
    return NULL;
}

static const struct variant *find_variant(const struct benchmark *benchmark, const char *name)
{
    for (size_t i = 0; benchmark && i < benchmark->variant_count; i++)
        if (strcmp(benchmark->variants[i].name, name) == 0 && benchmark->variants[i].submit)
            return &benchmark->variants[i];
    return NULL;
}

static void forward(void *context, struct call call, const struct access *accesses, size_t count)
{
    struct subject *subject = context;
    const void *objects[ACCESSES_MAX];
    bool written[ACCESSES_MAX];
    if (count > ACCESSES_MAX)
        abort();
    for (size_t i = 0; i < count; i++) {
        objects[i] = accesses[i].object;
        written[i] = accesses[i].mode == ACCESS_WRITE;
    }
    subject->callback(subject->context, call.kernel->name, call.step, objects, written, count);
}

bool subject_takes(const char *benchmark, size_t m, size_t n, size_t mb, size_t nb)
{
    const struct benchmark *b = find_benchmark(benchmark);
    return b && (m == n || b->rectangular) && (mb == nb || b->tall_tiles);
}

static struct subject *create(struct configuration configuration, uint64_t seed)
{
    struct subject *subject = calloc(1, sizeof *subject);
    if (!subject)
        return NULL;
    subject->configuration = configuration;
    subject->seed = seed;
    subject->problem = run_create(&subject->configuration);
    subject->observer = (struct observer){forward, subject};
    subject_reset(subject);
    return subject;
}

/* The standard parameters, unless others are given. @return false if there is no such variant in this build */
static bool configure(struct configuration *c, const char *benchmark, const char *variant,
                      const size_t *parameters)
{
    c->benchmark = find_benchmark(benchmark);
    c->variant = find_variant(c->benchmark, variant);
    if (!c->variant)
        return false;
    c->threads = 1;
    c->ib = c->benchmark->inner_block ? c->ib : 0;
    parameters_standard(c->benchmark, c->parameters);
    if (parameters)
        memcpy(c->parameters, parameters, c->benchmark->parameter_count * sizeof *parameters);
    return true;
}

struct subject *subject_create(const char *benchmark, const char *variant, size_t m, size_t n,
                               size_t mb, size_t nb, size_t ib, uint64_t seed)
{
    struct configuration c = {.m = m, .n = n, .mb = mb, .nb = nb, .ib = ib};
    return configure(&c, benchmark, variant, NULL) ? create(c, seed) : NULL;
}

struct subject *subject_create_with(const char *benchmark, const char *variant, size_t n, size_t nb,
                                    const size_t *parameters, uint64_t seed)
{
    struct configuration c = {.m = n, .n = n, .mb = nb, .nb = nb, .ib = nb};
    return configure(&c, benchmark, variant, parameters) ? create(c, seed) : NULL;
}

struct subject *subject_create_sequential(const struct subject *subject)
{
    struct configuration configuration = subject->configuration;
    const char *algorithm = benchmark_algorithm(configuration.benchmark);
    const char *group = configuration.variant->digest_group;
    for (const struct benchmark *const *b = benchmarks; *b; b++)
        for (size_t i = 0; i < (*b)->variant_count; i++) {
            const struct variant *v = &(*b)->variants[i];
            if (!v->sequential || strcmp(benchmark_algorithm(*b), algorithm) != 0 ||
                strcmp(v->digest_group, group) != 0)
                continue;
            configuration.benchmark = *b;
            configuration.variant = v;
            return create(configuration, subject->seed);
        }
    return NULL;
}

bool subject_is_base(const struct subject *subject)
{
    return subject->configuration.variant->needs == 0;
}

unsigned subject_tasks_per_update(const struct subject *subject)
{
    return subject->configuration.variant->tasks_per_update;
}

double subject_tasks_at_most(const struct subject *subject)
{
    const struct configuration *c = &subject->configuration;
    return c->benchmark->tasks ? configuration_tasks(c, c->variant) : HUGE_VAL;
}

void subject_destroy(struct subject *subject)
{
    if (!subject)
        return;
    run_destroy(&subject->configuration, subject->problem);
    free(subject);
}

void subject_reset(struct subject *subject)
{
    struct problem *p = subject->problem;
    run_generate(&subject->configuration, p, subject->seed);
    execution_reset(p->execution);
}

void subject_observe(struct subject *subject, subject_callback callback, void *context)
{
    subject->callback = callback;
    subject->context = context;
    subject->problem->execution->observer = callback ? &subject->observer : NULL;
}

void subject_describe(struct subject *subject, subject_callback callback, void *context)
{
    subject_observe(subject, callback, context);
    subject->problem->execution->describing = callback != NULL;
}

void subject_plant(struct subject *subject, void (*submit)(struct problem *problem))
{
    subject->planted = *subject->configuration.variant;
    subject->planted.submit = submit;
    subject->configuration.variant = &subject->planted;
}

void subject_submit(struct subject *subject)
{
    subject->configuration.variant->submit(subject->problem);
}

bool subject_failed(const struct subject *subject)
{
    return execution_failed(subject->problem->execution);
}

uint64_t subject_digest(const struct subject *subject)
{
    return subject->configuration.benchmark->digest(subject->problem);
}

bool subject_locate(const struct subject *subject, const void *object, size_t *i, size_t *j)
{
    const struct tile_matrix *A = subject->problem->A;
    for (size_t t = 0; A && t < A->mt * A->nt; t++)
        if (A->column[t] == object) {
            *i = t % A->mt;
            *j = t / A->mt;
            return true;
        }
    return false;
}
