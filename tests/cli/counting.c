/* SPDX-License-Identifier: BSD-3-Clause
 * A benchmark without a matrix: blocks of a vector, to each element of which every sweep adds 1 or 2. It has
 * parameters, loops of its own and figures, and generates, verifies and counts by itself. One parameter makes
 * its result wrong. */
#include <stdlib.h>

#include "common/base/sizes.h"
#include "common/computation/computation.h"

enum { SWEEPS, FORM, FLAW };

static const char *const forms[] = {"ones", "twos", NULL};

static const struct parameter parameters[] = {
    [SWEEPS] = {.name = "sweeps",
                .metavar = "S",
                .summary = "sweeps over the vector",
                .most = 100,
                .standard = 4},
    [FORM] = {.name = "form", .summary = "what is added", .words = forms},
    [FLAW] = {.name = "flaw",
              .metavar = "F",
              .summary = "elements that the last sweep leaves out",
              .most = 1},
};

static double flops(struct call_sizes s)
{
    return s.m;
}

static double bytes(struct call_sizes s)
{
    return 8.0 * s.m;
}

static const struct kernel about_add = {
    .name = "add", .count = "m", .source = "the loop", .flops = flops, .bytes = bytes};

static void add(struct problem *p, size_t sweep, double *block, size_t count)
{
    const struct access accesses[] = {{block, ACCESS_WRITE}};
    struct call call = {&about_add, sweep, sizes_mnk(count, 1, 1)};
    if (!execution_enter(p->execution, call, accesses, 1))
        return;
    for (size_t i = 0; i < count; i++)
        block[i] += 1.0 + (double)p->parameters[FORM];
    execution_leave(p->execution);
}

static void submit(struct problem *p)
{
    double *x = p->factors;
    for (size_t sweep = 0; sweep < p->parameters[SWEEPS]; sweep++)
        for (size_t first = 0; first < p->n; first += p->nb) {
            bool is_last = sweep + 1 == p->parameters[SWEEPS] && first == 0;
            size_t left_out = is_last ? p->parameters[FLAW] : 0;
            size_t count = smaller(p->nb, p->n - first);
            add(p, sweep, x + first, count - left_out);
        }
}

static int create(struct problem *p)
{
    p->factors = calloc(p->n, sizeof(double));
    return p->factors ? 0 : -1;
}

static void destroy(struct problem *p)
{
    free(p->factors);
}

static size_t factor_bytes(const struct problem *p)
{
    return saturating_multiply(p->n, sizeof(double));
}

static void generate(struct problem *p)
{
    double *x = p->factors;
    for (size_t i = 0; i < p->n; i++)
        x[i] = (double)p->input.seed;
}

static double operations(const struct problem *p)
{
    return (double)p->n * (double)(p->parameters[SWEEPS] + 1);
}

static bool verify(struct problem *p, enum check check, struct verification *result)
{
    const double *x = p->factors;
    double added = (1.0 + (double)p->parameters[FORM]) * (double)p->parameters[SWEEPS], wrong = 0.0;
    for (size_t i = 0; i < p->n; i++)
        wrong += x[i] - (double)p->input.seed == added ? 0.0 : 1.0;
    verification_add(result, check == CHECK_FULL ? "X-FULL" : "X-FAST", wrong, 0.5);
    return true;
}

static size_t figures(const struct problem *p, double seconds, struct figure *found)
{
    found[0] = (struct figure){"elements", (double)p->n};
    found[1] = (struct figure){"elements_per_second", (double)p->n / seconds};
    return 2;
}

static uint64_t digest(const struct problem *p)
{
    const double *x = p->factors;
    return (uint64_t)x[p->n - 1];
}

static void coordinates(const struct problem *p, size_t step, const void *object, size_t *i,
                        size_t *j)
{
    (void)step;
    *i = (size_t)((const double *)object - (const double *)p->factors) / p->nb;
    *j = 0;
}

static const struct variant variants[] = {{.name = "seq",
                                           .summary = "block after block",
                                           .digest_group = "counting",
                                           .input = INPUT_OWN,
                                           .sequential = true,
                                           .submit = submit}};

static const struct kernel *const kernels[] = {&about_add};

static const struct benchmark counting = {.name = "counting",
                                          .summary = "adds numbers to a vector",
                                          .variants = variants,
                                          .variant_count = 1,
                                          .kernels = kernels,
                                          .kernel_count = 1,
                                          .parameters = parameters,
                                          .parameter_count = 3,
                                          .default_variant = "seq",
                                          .kernel_sets = HAS_LOOPS,
                                          .operations = operations,
                                          .factor_bytes = factor_bytes,
                                          .create = create,
                                          .destroy = destroy,
                                          .generate = generate,
                                          .verify = verify,
                                          .figures = figures,
                                          .digest = digest,
                                          .coordinates = coordinates};

int main(int argc, char **argv)
{
    return drive(&counting, argc, argv);
}
