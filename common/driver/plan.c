/* SPDX-License-Identifier: BSD-3-Clause
 * Variants vary slowest, then parameters, the program's own axis, sizes and threads; or sizes, that axis, parameters,
 * threads and variants. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/base/text.h"
#include "common/driver/session.h"
#include "common/identity/capabilities.h"
#include "common/machine/host.h"
#include "common/process/team_needs.h"
#include "common/run/parameters.h"

enum { TEXT_SIZE = 200 };

struct planning {
    const struct program *program;
    const struct program_options *options;
    const struct setup *setup;
    const struct program_variant *variants; /**< those requested, without a name where not run */
    struct number_list threads;
    size_t choices;
    struct plan plan;
};

bool variant_can_run(const struct program *program, size_t index,
                     const struct runtime_identity *runtime, char *reason)
{
    const struct program_variant v = program->variant(index);
    if (program->available)
        return program->available(index, runtime, reason);
    return capabilities_allow(runtime, v.needs, !v.missing, NULL, reason, REASON_SIZE);
}

bool has_parameter(const struct program_variant *variant, size_t parameter)
{
    return (variant->parameters >> parameter & 1u) != 0;
}

size_t point_bytes(const struct program *program, const struct point *point)
{
    return program->bytes ? program->bytes(point) : 0;
}

size_t point_threads(const struct point *point)
{
    return point->variant->sequential ? 1 : point->threads;
}

static size_t point_all_threads(const struct program *program, const struct point *point)
{
    return program->all_threads ? program->all_threads(point) : point_threads(point);
}

/* A point in words, its parameters where they differ from the standard ones: "chain, 64 tasks, items 4". */
static const char *words_of(const struct program *program, const struct point *point, char *text)
{
    char value[PARAMETER_TEXT_SIZE];
    if (program->words) {
        program->words(point, text, TEXT_SIZE);
        return text;
    }
    snprintf(text, TEXT_SIZE, "%s", point->variant->name);
    if (program->size.option)
        text_append(text, TEXT_SIZE, ", %zu %s", point->size, program->size.option);
    for (size_t i = 0; i < program->parameter_count; i++) {
        const struct parameter *p = &program->parameters[i];
        if (point->parameter[i] != p->standard)
            text_append(text, TEXT_SIZE, ", %s %s", p->name,
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

static bool is_runnable(const struct planning *p, const struct point *point, bool first_team)
{
    char reason[REASON_SIZE], words[TEXT_SIZE];
    unsigned needs = p->program->needs ? p->program->needs(point) : 0;
    if (capabilities_allow(&p->setup->runtime, needs, true, NULL, reason, REASON_SIZE))
        return true;
    if (first_team)
        leave_out(p, words_of(p->program, point, words), reason);
    return false;
}

size_t next_digit(size_t *number, size_t base)
{
    size_t value = *number % base;
    *number /= base;
    return value;
}

/* A point's place on each axis. */
struct places {
    size_t variant, size, choice, parameter[PROGRAM_PARAMETERS_MAX], threads;
};

static void parameters_of_number(const struct planning *p, size_t *number, struct places *at)
{
    for (size_t i = p->program->parameter_count; i-- > 0;)
        at->parameter[i] = next_digit(number, p->options->parameters[i].count);
}

static struct places places_of(const struct planning *p, size_t number)
{
    const struct program_options *o = p->options;
    struct places at;
    if (p->program->variants_last) {
        at.variant = next_digit(&number, o->variants.count);
        at.threads = next_digit(&number, p->threads.count);
        parameters_of_number(p, &number, &at);
        at.choice = next_digit(&number, p->choices);
        at.size = number;
        return at;
    }
    at.threads = next_digit(&number, p->threads.count);
    at.size = next_digit(&number, o->sizes.count);
    at.choice = next_digit(&number, p->choices);
    parameters_of_number(p, &number, &at);
    at.variant = number;
    return at;
}

/* Whether there is a point: what a variant lacks, or one thread of a sequential one, makes no further points. */
static bool is_planned(const struct planning *p, const struct places *at)
{
    const struct program_variant *variant = &p->variants[at->variant];
    if (!variant->name || (variant->sequential && at->threads > 0))
        return false;
    for (size_t i = 0; i < p->program->parameter_count; i++)
        if (!has_parameter(variant, i) && at->parameter[i] > 0)
            return false;
    return true;
}

static struct point point_of(const struct planning *p, const struct places *at)
{
    const struct program_options *o = p->options;
    struct point point = {.variant = &p->variants[at->variant],
                          .index = o->variants.value[at->variant],
                          .size = o->sizes.value[at->size],
                          .choice = at->choice,
                          .threads = p->threads.value[at->threads]};
    for (size_t i = 0; i < p->program->parameter_count; i++)
        point.parameter[i] = has_parameter(point.variant, i)
                                 ? o->parameters[i].value[at->parameter[i]]
                                 : p->program->parameters[i].standard;
    if (p->program->fit)
        point.size = p->program->fit(&point);
    return point;
}

static size_t combinations(const struct planning *p)
{
    const struct program_options *o = p->options;
    size_t count = saturating_multiply(o->variants.count, o->sizes.count);
    count = saturating_multiply(count, saturating_multiply(p->threads.count, p->choices));
    for (size_t i = 0; i < p->program->parameter_count; i++)
        count = saturating_multiply(count, o->parameters[i].count);
    return count;
}

static void add_points(struct planning *p)
{
    size_t most = combinations(p);
    p->plan.points =
        zeros_for(most, sizeof *p->plan.points, "%zu configurations: shorten the lists", most);
    for (size_t i = 0; i < most; i++) {
        struct places at = places_of(p, i);
        if (!is_planned(p, &at))
            continue;
        struct point point = point_of(p, &at);
        if (p->program->check_options)
            p->program->check_options(&point);
        if (is_runnable(p, &point, at.threads == 0))
            p->plan.points[p->plan.count++] = point;
    }
    if (p->plan.count == 0)
        message_fatal(POLLUX_MACHINE, "none of the configurations can run here");
}

/* Points refer to their variants, which thus live as long as the process. */
static const struct program_variant *requested_variants(const struct planning *p)
{
    static struct program_variant kept[LIST_MAX];
    char reason[REASON_SIZE];
    size_t count = 0;
    for (size_t v = 0; v < p->options->variants.count; v++) {
        size_t index = p->options->variants.value[v];
        struct program_variant variant = p->program->variant(index);
        if (variant_can_run(p->program, index, &p->setup->runtime, reason)) {
            kept[v] = variant;
            count++;
        } else {
            leave_out(p, variant.name, reason);
        }
    }
    if (count == 0)
        message_fatal(POLLUX_MACHINE, "none of the %ss can run here", p->program->variant_option);
    return kept;
}

struct plan plan_create(const struct program *program, const struct program_options *options,
                        const struct setup *setup)
{
    struct planning p = {.program = program,
                         .options = options,
                         .setup = setup,
                         .threads = requested_threads(&options->shared),
                         .choices = program->choices ? program->choices() : 1};
    p.variants = requested_variants(&p);
    add_points(&p);
    return p.plan;
}

/* @return what the point needs */
static size_t check_memory(const struct program *program, const struct point *point)
{
    const double GIB = 0x1p30;
    char words[TEXT_SIZE];
    size_t bytes = point_bytes(program, point), available = host_available_bytes();
    if (bytes == SIZE_MAX)
        message_fatal(POLLUX_MACHINE,
                      "%s is larger than any that can be run: choose a smaller configuration",
                      words_of(program, point, words));
    if (bytes > available)
        message_fatal(POLLUX_MACHINE,
                      "%s needs %.3g GiB of memory, and %.3g GiB are free: choose a smaller "
                      "configuration",
                      words_of(program, point, words), (double)bytes / GIB,
                      (double)available / GIB);
    return bytes;
}

size_t plan_check(const struct program *program, const struct plan *plan, const struct setup *setup)
{
    size_t bytes = 0, threads = 1;
    for (size_t i = 0; i < plan->count; i++) {
        const struct point *point = &plan->points[i];
        if (program->require)
            program->require(point);
        bytes = larger(bytes, check_memory(program, point));
        threads = larger(threads, point_all_threads(program, point));
    }
    team_require(setup, threads, bytes);
    return threads;
}

void plan_destroy(struct plan *plan)
{
    free(plan->points);
}
