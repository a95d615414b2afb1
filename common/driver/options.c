/* SPDX-License-Identifier: BSD-3-Clause
 * The table of options is made from the program's tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/command_line.h"
#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/text.h"
#include "common/driver/parameter_options.h"
#include "common/driver/session.h"
#include "common/run/parameters.h"

enum { TABLE_SIZE = 4 + PROGRAM_PARAMETERS_MAX + OWN_OPTIONS_MAX + SHARED_OPTIONS + 1 };
enum { NAMES_SIZE = 1024 };

struct parse {
    const struct program *program;
    struct program_options *options;
};

/* What the entries of the table point to. */
struct help {
    char size[HELP_SIZE];
    struct parameter_help parameters[PROGRAM_PARAMETERS_MAX];
    char list[HELP_SIZE];
};

static bool is_requested(const struct program_options *o, size_t variant)
{
    for (size_t i = 0; i < o->variants.count; i++)
        if (o->variants.value[i] == variant)
            return true;
    return false;
}

static void add_variant(struct program_options *o, size_t index)
{
    if (!is_requested(o, index))
        o->variants.value[o->variants.count++] = index;
}

static void add_all_variants(const struct program *program, struct program_options *o)
{
    o->all_variants = true;
    for (size_t i = 0; program->variant(i).name; i++)
        add_variant(o, i);
}

static size_t find_variant(const struct program *program, const char *name)
{
    char known[NAMES_SIZE] = "all";
    for (size_t i = 0; program->variant(i).name; i++) {
        if (strcmp(name, program->variant(i).name) == 0)
            return i;
        text_add_item(known, sizeof known, ", ", program->variant(i).name);
    }
    message_fatal(POLLUX_USAGE, "--%s %s: unknown; choose from %s", program->variant_option,
                  quoted(name).text, known);
}

static void parse_variants(const struct program *program, struct program_options *o,
                           const char *text)
{
    char *copy = text_copy(text), *rest = copy;
    for (char *name; (name = strsep(&rest, ","));) {
        if (strcmp(name, "all") == 0)
            add_all_variants(program, o);
        else
            add_variant(o, find_variant(program, name));
    }
    free(copy);
}

static void parse_size(const struct program *program, struct program_options *o, const char *text)
{
    char option[FIELD_SIZE];
    snprintf(option, sizeof option, "--%s", program->size.option);
    o->sizes = number_list_parse(text, option, 1, NUMBER_MAX);
    o->sizes_given = true;
}

static void parse_parameter(const struct program *program, struct program_options *o, size_t index,
                            const char *text)
{
    o->parameters[index] = parameter_parse(&program->parameters[index], text);
    o->parameters_given |= 1u << index;
    for (size_t i = 0; program->check_parameter && i < o->parameters[index].count; i++)
        program->check_parameter(index, o->parameters[index].value[i]);
}

static bool is_own(const struct program *program, int key)
{
    for (size_t i = 0; program->options && program->options[i].name; i++)
        if (program->options[i].key == key)
            return true;
    return false;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct parse *parse = state->input;
    const struct program *program = parse->program;
    struct program_options *o = parse->options;
    if (shared_options_take(&o->shared, key, text, state))
        return 0;
    if (key == program->variant_key)
        parse_variants(program, o, text);
    else if (program->size.option && key == program->size.key)
        parse_size(program, o, text);
    else if (key >= KEY_PARAMETER && key < KEY_PARAMETER + (int)program->parameter_count)
        parse_parameter(program, o, (size_t)(key - KEY_PARAMETER), text);
    else if (is_own(program, key))
        program->take_option(key, text);
    else
        return command_line_other(key, text, state);
    return 0;
}

/* Adds an option, and another name for it where it has one. @return how many */
static size_t add_named(struct argp_option *table, struct argp_option option, const char *other)
{
    table[0] = option;
    if (strcmp(option.name, other) == 0)
        return 1;
    table[1] = (struct argp_option){other, 0, NULL, OPTION_ALIAS, NULL, 1};
    return 2;
}

static void make_table(const struct program *program, struct argp_option *table, struct help *help)
{
    struct shared_texts texts = {.repeat = "measured repetitions (5)",
                                 .seed = "seed of all that is random (42)",
                                 .list = help->list,
                                 .version = program->blas
                                                ? "show version, OpenMP runtime and BLAS in use"
                                                : "show version and OpenMP runtime in use"};
    size_t count = 0;
    snprintf(help->list, HELP_SIZE, "list the %ss; with -f json: as JSON", program->variant_option);
    if (program->size.option) {
        const struct size_axis *axis = &program->size;
        snprintf(help->size, HELP_SIZE, "%s (%zu)", axis->help ? axis->help : axis->summary,
                 axis->standard);
        struct argp_option size = {
            program->size.option, program->size.key, program->size.metavar, 0, help->size, 1};
        count += add_named(table + count, size, "size");
    }
    struct argp_option variant = {program->variant_option,  program->variant_key,
                                  "NAME[,NAME...]",         0,
                                  program->variant_summary, 1};
    count += add_named(table + count, variant, "variant");
    for (size_t i = 0; i < program->parameter_count; i++)
        table[count++] =
            parameter_option(&program->parameters[i], KEY_PARAMETER + (int)i, &help->parameters[i]);
    for (size_t i = 0; program->options && program->options[i].name; i++)
        table[count++] = program->options[i];
    shared_options_add(table + count, program->texts ? program->texts : &texts, program->nested);
}

static void set_defaults(const struct program *program, struct program_options *o)
{
    o->shared = shared_defaults;
    o->sizes = (struct number_list){1, {program->size.option ? program->size.standard : 0}};
    for (size_t i = 0; i < program->parameter_count; i++)
        o->parameters[i] = (struct number_list){1, {program->parameters[i].standard}};
}

static void choose_default_variants(const struct program *program, struct program_options *o)
{
    if (o->variants.count > 0)
        return;
    if (program->default_variant)
        add_variant(o, find_variant(program, program->default_variant));
    else
        add_all_variants(program, o);
}

/* Refuses a parameter that no configuration would have. */
static void require_parameter(const struct program *program, const struct program_options *o,
                              size_t parameter)
{
    char having[NAMES_SIZE] = "";
    for (size_t i = 0; program->variant(i).name; i++) {
        const struct program_variant variant = program->variant(i);
        if (!has_parameter(&variant, parameter))
            continue;
        if (is_requested(o, i))
            return;
        text_add_item(having, sizeof having, ", ", variant.name);
    }
    message_fatal(POLLUX_USAGE, "--%s: none of the %ss requested has it; choose from %s",
                  program->parameters[parameter].name, program->variant_option, having);
}

int parameter_priority(const struct program *program, const struct program_options *o,
                       size_t parameter)
{
    int highest = 0;
    for (size_t v = 0; v < o->parameters[parameter].count && program->priority; v++) {
        int priority = program->priority(parameter, o->parameters[parameter].value[v]);
        highest = priority > highest ? priority : highest;
    }
    return highest;
}

/* Not with --list, which shows the parameters of all variants. One that switches priorities on concerns the whole
 * process, so it is taken all the same. */
static void check_parameters(const struct program *program, const struct program_options *o)
{
    for (size_t i = 0; i < program->parameter_count && !o->shared.list && !o->shared.version; i++)
        if (o->parameters_given >> i & 1u && parameter_priority(program, o, i) == 0)
            require_parameter(program, o, i);
}

void program_options_parse(const struct program *program, int argc, char **argv,
                           struct program_options *o)
{
    struct parse parse = {program, o};
    struct argp_option table[TABLE_SIZE] = {0};
    struct help help = {0};
    char doc[1024];
    snprintf(doc, sizeof doc,
             "%s: %s.\vExample: %s\n\n"
             "Exit status: 0 all right, 1 %s, 2 bad usage, 3 the machine cannot do it.",
             program->name, program->help ? program->help : program->summary, program->example,
             program->failure);
    set_defaults(program, o);
    make_table(program, table, &help);
    const struct argp argp = {.options = table, .parser = parse_option, .doc = doc};
    command_line_parse(&argp, argc, argv, &parse);
    if (program->check_command_line)
        program->check_command_line(o);
    choose_default_variants(program, o);
    check_parameters(program, o);
}
