/* SPDX-License-Identifier: BSD-3-Clause
 * The table of options, and what each one sets. */
#include "common/driver/options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/choice.h"
#include "common/base/message.h"
#include "common/driver/benchmark_options.h"
#include "common/driver/command_line.h"

enum {
    KEY_KERNELS = KEY_OWN,
    KEY_NUMA,
    KEY_NO_PRIORITY,
    KEY_MATRIX,
    KEY_TRACE,
    KEY_OMPT,
    KEY_PROCESSOR_TIME,
    KEY_GRAPH,
    KEY_PROBE
};

static const struct argp_option option_table[] = {
    {"size", 'n', "N[,N...]", 0, "matrix order(s): a list, or START:STOP:STEP", 1},
    {"rows", 'm', "M", 0, "rows, where rectangular matrices are allowed (N)", 1},
    {"tile", 'b', "NB|MBxNB|fastest[,...]", 0,
     "tile(s) of NB columns, square or of MB rows, a multiple of NB; fastest: the table's "
     "fastest of any shape (its fastest square one)",
     1},
    {"inner", 'i', "IB", 0, "inner block of the QR kernels (the table's)", 1},
    {"variant", 'v', "NAME[,NAME...]", 0, "task graph(s), or all; see --list", 1},
    {"kernels", KEY_KERNELS, NULL, 0, NULL, 1}, /* kernels_option */
    {"check", 'c', "none|fast|full", 0, "residuals by random probes in O(N^2), or in full (fast)",
     2},
    {"trace", KEY_TRACE, "FILE", 0,
     "trace the kernels of one more repetition of each configuration; replaces the file", 3},
    {"ompt", KEY_OMPT, NULL, 0, "with --trace: record tasks too, through the runtime's OMPT", 3},
    {"processor-time", KEY_PROCESSOR_TIME, NULL, 0,
     "with --trace: also record how long a kernel's thread ran on a processor", 3},
    {"graph", KEY_GRAPH, "FILE", 0,
     "compute nothing: write the task graph as OMPT reports it; replaces the file", 3},
    {"matrix", KEY_MATRIX, "FILE", 0, "this Matrix Market file instead of a random matrix", 4},
    {"numa", KEY_NUMA, "interleave|first-touch", 0,
     "pages of the matrix over NUMA nodes (interleave)", 4},
    {"probe", KEY_PROBE, NULL, OPTION_HIDDEN, NULL, 4}, /* availability.c starts the program so */
    {"no-priority", KEY_NO_PRIORITY, NULL, 0, "no task priorities: OMP_MAX_TASK_PRIORITY=0", 4},
};

static const struct shared_texts shared_texts = {
    .repeat = "measured repetitions, seeds S, S+1, ... (5)",
    .seed = "seed of the random matrix (42)",
    .list = "list the variants; with -f json: describe the benchmark, and the sizes given",
    .version = "show version, OpenMP runtime and BLAS in use"};

static const char doc_after[] =
    "\vExample: -n 4096 -b 192,256 -t 2 -v all -o runs.jsonl\n\n"
    "Exit status: 0 all right, 1 a computation or check failed, 2 bad usage, "
    "3 the machine cannot do it.";

struct parse {
    const struct benchmark *benchmark;
    struct options *options;
};

static void add_variant(struct options *o, const struct variant *variant)
{
    for (size_t i = 0; i < o->variant_count; i++)
        if (o->variants[i] == variant)
            return;
    o->variants[o->variant_count++] = variant;
}

static const struct variant *find_variant(const struct benchmark *b, const char *name)
{
    for (size_t i = 0; i < b->variant_count; i++)
        if (strcmp(name, b->variants[i].name) == 0)
            return &b->variants[i];
    char known[256] = "all";
    for (size_t i = 0; i < b->variant_count; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, ", %s", b->variants[i].name);
    }
    message_fatal(POLLUX_USAGE, "--variant %s: unknown; choose from %s", quoted(name).text, known);
}

static void parse_variants(const struct benchmark *b, struct options *o, const char *text)
{
    char *copy = strdup(text), *rest = copy;
    if (!copy)
        message_fatal(POLLUX_MACHINE, "no memory");
    for (char *name; (name = strsep(&rest, ","));) {
        if (strcmp(name, "all") == 0)
            o->all_variants = true;
        else
            add_variant(o, find_variant(b, name));
    }
    for (size_t i = 0; o->all_variants && i < b->variant_count; i++)
        add_variant(o, &b->variants[i]);
    free(copy);
}

static bool parse_parameter(const struct parse *parse, int key, const char *text)
{
    const struct benchmark *b = parse->benchmark;
    if (key < KEY_PARAMETER || key >= KEY_PARAMETER + (int)b->parameter_count)
        return false;
    size_t index = (size_t)(key - KEY_PARAMETER);
    parse->options->parameters[index] = parameter_parse(&b->parameters[index], text);
    return true;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    static const char *const checks[] = {"none", "fast", "full", NULL};
    static const char *const placements[] = {"interleave", "first-touch", NULL};
    struct parse *parse = state->input;
    struct options *o = parse->options;
    if (shared_options_take(&o->shared, key, text, state))
        return 0;
    switch (key) {
    case 'n':
        o->sizes = number_list_parse(text, "--size", 1, NUMBER_MAX);
        return 0;
    case 'm':
        o->rows = number_parse(text, "--rows", 1, NUMBER_MAX);
        return 0;
    case 'b':
        o->tiles = tile_list_parse(text, "--tile");
        return 0;
    case 'i':
        o->inner = number_parse(text, "--inner", 1, NUMBER_MAX);
        return 0;
    case 'v':
        parse_variants(parse->benchmark, o, text);
        return 0;
    case 'c':
        o->check = (enum check)choice_parse(text, "--check", checks);
        return 0;
    case KEY_KERNELS:
        o->kernels = kernels_parse(parse->benchmark, text);
        return 0;
    case KEY_TRACE:
        o->trace = text;
        return 0;
    case KEY_OMPT:
        o->ompt = true;
        return 0;
    case KEY_PROCESSOR_TIME:
        o->processor_time = true;
        return 0;
    case KEY_GRAPH:
        o->graph = text;
        return 0;
    case KEY_MATRIX:
        o->matrix_path = text;
        return 0;
    case KEY_NUMA:
        o->first_touch = choice_parse(text, "--numa", placements) == 1;
        return 0;
    case KEY_PROBE:
        o->probe = true;
        return 0;
    case KEY_NO_PRIORITY:
        o->no_priority = true;
        return 0;
    default:
        return parse_parameter(parse, key, text) ? 0 : command_line_other(key, text, state);
    }
}

/* Options that only some benchmarks have, or that exclude each other. */
static void check_combinations(const struct benchmark *b, struct options *o)
{
    if (o->rows > 0 && !b->rectangular)
        message_fatal(POLLUX_USAGE, "--rows: %s needs a square matrix, give --size only", b->name);
    for (size_t i = 0; i < o->tiles.count; i++)
        if (o->tiles.value[i].shape.mb != o->tiles.value[i].shape.nb && !b->tall_tiles)
            message_fatal(POLLUX_USAGE, "--tile: %s needs square tiles, give NB only", b->name);
    if (o->inner > 0 && !b->inner_block)
        message_fatal(POLLUX_USAGE, "--inner: %s has no inner block", b->name);
    if (o->matrix_path && b->generate && !b->pattern_files)
        message_fatal(POLLUX_USAGE, "--matrix: %s takes no matrix from a file", b->name);
    if (o->matrix_path && (o->sizes.count > 0 || o->rows > 0))
        message_fatal(POLLUX_USAGE, "--matrix: the file gives the size, omit --size and --rows");
    if (o->processor_time && !o->trace)
        message_fatal(POLLUX_USAGE,
                      "--processor-time: its results go into a trace, give --trace FILE");
    if (o->ompt && !o->trace)
        message_fatal(POLLUX_USAGE, "--ompt: its results go into a trace, give --trace FILE");
    if (o->graph && (o->trace || o->shared.output || o->matrix_path))
        message_fatal(POLLUX_USAGE, "--graph computes nothing: omit --trace, --output and --matrix "
                                    "out");
}

enum { COMMON_OPTIONS = sizeof option_table / sizeof *option_table };
enum { ALIASES = 1 };
enum { OPTIONS_MAX = COMMON_OPTIONS + SHARED_OPTIONS + ALIASES + PARAMETERS_MAX + 1 };
enum { LAST_GROUP = 5 };

static bool has_nested_variants(const struct benchmark *benchmark)
{
    for (size_t v = 0; v < benchmark->variant_count; v++)
        if (benchmark->variants[v].nested)
            return true;
    return false;
}

/* Whether a parameter takes the place of an option that the benchmark does not have. */
static bool is_replaced(const struct benchmark *benchmark, const struct argp_option *option)
{
    for (size_t i = 0; i < benchmark->parameter_count; i++)
        if (strcmp(benchmark->parameters[i].name, option->name) == 0)
            return true;
    return false;
}

/* Where there are two levels of teams, --threads has another name. @return how many options */
static size_t add_shared(const struct benchmark *benchmark, struct argp_option *table)
{
    struct argp_option shared[SHARED_OPTIONS];
    size_t count = 0;
    shared_options_table(shared, &shared_texts, LAST_GROUP);
    for (size_t i = 0; i < SHARED_OPTIONS; i++) {
        table[count++] = shared[i];
        if (shared[i].key == 't' && has_nested_variants(benchmark))
            table[count++] = (struct argp_option){"outer", 0, NULL, OPTION_ALIAS, NULL, 1};
    }
    return count;
}

/* The options of all benchmarks and those of this one; the last entry ends the table. */
static void make_table(const struct benchmark *benchmark, struct argp_option *table,
                       struct benchmark_help *help)
{
    size_t count = 0;
    for (size_t i = 0; i < COMMON_OPTIONS; i++) {
        if (is_replaced(benchmark, &option_table[i]))
            continue;
        table[count] = option_table[i];
        if (table[count].key == KEY_KERNELS)
            kernels_option(benchmark, &table[count], help);
        if (table[count].key == 'n')
            size_option(benchmark, &table[count], help);
        count++;
    }
    count += add_shared(benchmark, table + count);
    for (size_t i = 0; i < benchmark->parameter_count; i++)
        table[count++] = parameter_option(&benchmark->parameters[i], KEY_PARAMETER + (int)i,
                                          &help->parameters[i]);
    table[count] = (struct argp_option){0};
}

struct options options_parse(const struct benchmark *benchmark, int argc, char **argv)
{
    struct options o = {
        .shared = shared_defaults, .kernels = default_kernels(benchmark), .check = CHECK_FAST};
    struct parse parse = {benchmark, &o};
    struct benchmark_help help = {0};
    struct argp_option table[OPTIONS_MAX];
    char doc[512];
    snprintf(doc, sizeof doc, "%s: %s, with OpenMP tasks.%s", benchmark->name, benchmark->summary,
             doc_after);
    make_table(benchmark, table, &help);
    const struct argp argp = {.options = table, .parser = parse_option, .doc = doc};
    command_line_parse(&argp, argc, argv, &parse);
    check_combinations(benchmark, &o);
    if (o.variant_count == 0)
        add_variant(&o, find_variant(benchmark, benchmark->default_variant));
    return o;
}
