/* SPDX-License-Identifier: BSD-3-Clause
 * Variants vary slowest, then parameters, sizes and threads. A parameter that a variant does not have makes no
 * further points. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/driver/team_needs.h"
#include "common/execution/team.h"
#include "common/identity/capabilities.h"
#include "common/machine/host.h"
#include "common/run/parameters.h"
#include "micro/program/session.h"

enum { TEXT_SIZE = 200 };

struct planning {
    const struct micro_program *program;
    const struct micro_options *options;
    const struct setup *setup;
    struct number_list threads;
    struct micro_plan plan;
    size_t capacity;
};

bool micro_can_run(const struct micro_variant *variant, unsigned needs,
                   const struct runtime_identity *runtime, char *reason)
{
    return capabilities_allow(runtime, variant->needs | needs, !variant->missing, reason,
                              CAPABILITY_TEXT_SIZE);
}

bool micro_has_parameter(const struct micro_variant *variant, size_t parameter)
{
    return (variant->parameters >> parameter & 1u) != 0;
}

size_t micro_point_bytes(const struct micro_program *program, const struct micro_point *point)
{
    return program->bytes ? program->bytes(point) : 0;
}

size_t micro_point_threads(const struct micro_point *point)
{
    return point->variant->sequential ? 1 : point->threads;
}

size_t micro_all_threads(const struct micro_program *program, const struct micro_point *point)
{
    return program->all_threads ? program->all_threads(point) : micro_point_threads(point);
}

/* A point in words, its parameters where they differ from the standard ones: "chain, 64 tasks, items 4". */
static const char *words_of(const struct micro_program *program, const struct micro_point *point,
                            char *text)
{
    char value[PARAMETER_TEXT_SIZE];
    size_t used = (size_t)snprintf(text, TEXT_SIZE, "%s", point->variant->name);
    if (program->size.option && used < TEXT_SIZE)
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, ", %zu %s", point->size,
                                 program->size.option);
    for (size_t i = 0; i < program->parameter_count && used < TEXT_SIZE; i++)
        if (point->parameter[i] != program->parameters[i].standard) {
            const struct parameter *p = &program->parameters[i];
            used += (size_t)snprintf(text + used, TEXT_SIZE - used, ", %s %s", p->name,
                                     parameter_text(p, point->parameter[i], value));
        }
    return text;
}

/* Reports why something cannot run here; ends the program unless its variant was only part of `all`. */
static void leave_out(const struct planning *p, const char *words, const char *reason)
{
    if (!p->options->all_variants)
        message_fatal(POLLUX_MACHINE, "%s %s: not run, %s", p->program->variant_option, words,
                      reason);
    message_warning("%s %s: not run, %s", p->program->variant_option, words, reason);
}

static bool is_runnable(const struct planning *p, const struct micro_point *point)
{
    char reason[CAPABILITY_TEXT_SIZE], words[TEXT_SIZE];
    unsigned needs = p->program->needs ? p->program->needs(point) : 0;
    if (micro_can_run(point->variant, needs, &p->setup->runtime, reason))
        return true;
    leave_out(p, words_of(p->program, point, words), reason);
    return false;
}

/* The next digit of a point's number, which is written in as many digits as there are axes. */
static size_t digit(size_t *number, size_t base)
{
    size_t value = *number % base;
    *number /= base;
    return value;
}

/* How many combinations of parameters and sizes a variant has; SIZE_MAX if that overflows. */
static size_t combinations(const struct planning *p, const struct micro_variant *variant)
{
    size_t count = p->options->sizes.count;
    for (size_t i = 0; i < p->program->parameter_count; i++)
        if (micro_has_parameter(variant, i))
            count = saturating_multiply(count, p->options->parameters[i].count);
    return count;
}

static struct micro_point point_of(const struct planning *p, const struct micro_variant *variant,
                                   size_t index, size_t number)
{
    const struct micro_options *o = p->options;
    struct micro_point point = {.variant = variant, .index = index};
    point.size = o->sizes.value[digit(&number, o->sizes.count)];
    for (size_t i = p->program->parameter_count; i-- > 0;)
        point.parameter[i] = micro_has_parameter(variant, i)
                                 ? o->parameters[i].value[digit(&number, o->parameters[i].count)]
                                 : p->program->parameters[i].standard;
    if (p->program->fit)
        point.size = p->program->fit(&point);
    return point;
}

static void add_point(struct planning *p, const struct micro_point *point)
{
    if (p->plan.count == p->capacity) {
        p->capacity = p->capacity > 0 ? saturating_multiply(p->capacity, 2) : 64;
        p->plan.points = reallocarray(p->plan.points, p->capacity, sizeof *p->plan.points);
        if (!p->plan.points)
            message_fatal(POLLUX_MACHINE,
                          "no memory for so many configurations: shorten the lists");
    }
    p->plan.points[p->plan.count++] = *point;
}

static void plan_point(struct planning *p, struct micro_point *point)
{
    size_t teams = point->variant->sequential ? 1 : p->threads.count;
    for (size_t t = 0; t < teams && p->program->check_options; t++) {
        point->threads = p->threads.value[t];
        p->program->check_options(point);
    }
    if (!is_runnable(p, point))
        return;
    for (size_t t = 0; t < teams; t++) {
        point->threads = p->threads.value[t];
        add_point(p, point);
    }
}

static void plan_variant(struct planning *p, const struct micro_variant *variant, size_t index)
{
    char reason[CAPABILITY_TEXT_SIZE];
    size_t count = combinations(p, variant);
    if (!micro_can_run(variant, 0, &p->setup->runtime, reason)) {
        leave_out(p, variant->name, reason);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct micro_point point = point_of(p, variant, index, i);
        plan_point(p, &point);
    }
}

static void check_memory(const struct micro_program *program, const struct micro_point *point)
{
    const double GIB = 0x1p30;
    char words[TEXT_SIZE];
    size_t bytes = micro_point_bytes(program, point), available = host_available_bytes();
    if (bytes > available)
        message_fatal(POLLUX_MACHINE,
                      "%s: needs about %.3g GiB of memory, but only %.3g GiB are free: choose a "
                      "smaller configuration",
                      words_of(program, point, words), (double)bytes / GIB,
                      (double)available / GIB);
}

/* Refuses what the machine cannot do, before anything runs. */
static void check_plan(const struct micro_program *program, const struct micro_plan *plan,
                       const struct setup *setup)
{
    size_t bytes = 0, threads = 1;
    for (size_t i = 0; i < plan->count; i++) {
        const struct micro_point *point = &plan->points[i];
        check_memory(program, point);
        if (program->require)
            program->require(point);
        bytes = larger(bytes, micro_point_bytes(program, point));
        threads = larger(threads, micro_all_threads(program, point));
    }
    team_require(setup, threads, bytes);
}

/* Points refer to their variants, which thus live as long as the process. */
static const struct micro_variant *kept_variant(const struct micro_program *program, size_t index)
{
    static struct micro_variant kept[LIST_MAX];
    kept[index] = program->variant(index);
    return &kept[index];
}

struct micro_plan micro_plan_create(const struct micro_program *program,
                                    const struct micro_options *options, const struct setup *setup)
{
    struct planning p = {
        .program = program, .options = options, .setup = setup, .threads = options->shared.threads};
    if (p.threads.count == 0)
        p.threads = (struct number_list){1, {team_default_threads()}};
    for (size_t v = 0; v < options->variants.count; v++) {
        size_t index = options->variants.value[v];
        plan_variant(&p, kept_variant(program, index), index);
    }
    check_plan(program, &p.plan, setup);
    return p.plan;
}

void micro_plan_destroy(struct micro_plan *plan)
{
    free(plan->points);
}
