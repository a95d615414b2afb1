/* SPDX-License-Identifier: BSD-3-Clause
 * The table of options, and what each one sets. */
#include "common/computation/options.h"

#include <string.h>

#include "common/base/command_line.h"
#include "common/base/message.h"
#include "common/computation/session.h"
#include "common/driver/shared_options.h"

enum {
    KEY_KERNELS = PROGRAM_KEY_OWN,
    KEY_NUMA,
    KEY_NO_PRIORITY,
    KEY_MATRIX,
    KEY_TRACE,
    KEY_TRACED,
    KEY_OMPT,
    KEY_PROCESSOR_TIME,
    KEY_GRAPH,
    KEY_PROBE
};

static const struct argp_option option_table[] = {
    {"rows", 'm', "M", 0, "rows, where rectangular matrices are allowed (N)", 1},
    {"tile", 'b', "NB|MBxNB|fastest[,...]", 0,
     "tile(s) of NB columns, square or of MB rows, a multiple of NB; fastest: the table's "
     "fastest of any shape (its fastest square one)",
     1},
    {"inner", 'i', "IB", 0, "inner block of the QR kernels (the table's)", 1},
    {"kernels", KEY_KERNELS, NULL, 0, NULL, 1}, /* kernels_option */
    {"check", 'c', "none|fast|full", 0, "residuals by random probes in O(N^2), or in full (fast)",
     2},
    {"trace", KEY_TRACE, "FILE", 0,
     "trace the kernels of one more repetition of each configuration; replaces the file", 3},
    {"traced", KEY_TRACED, "COUNT", 0, "with --trace: how many more repetitions (1)", 3},
    {"ompt", KEY_OMPT, NULL, 0, "with --trace: record tasks too, through the runtime's OMPT", 3},
    {"processor-time", KEY_PROCESSOR_TIME, NULL, 0,
     "with --trace: also record how long a kernel's thread ran on a processor", 3},
    {"graph", KEY_GRAPH, "FILE", 0,
     "compute nothing, whatever -t, -r, -w, -s, -c and -f say: write the task graph as OMPT "
     "reports it; replaces the file",
     3},
    {"matrix", KEY_MATRIX, "FILE", 0, "this Matrix Market file instead of a random matrix", 4},
    {"numa", KEY_NUMA, "interleave|first-touch", 0,
     "pages of the matrix over NUMA nodes (interleave)", 4},
    {"probe", KEY_PROBE, NULL, OPTION_HIDDEN, NULL, 4}, /* availability.c starts the program so */
    {"no-priority", KEY_NO_PRIORITY, NULL, 0, "no task priorities: OMP_MAX_TASK_PRIORITY=0", 4},
};

enum { OPTIONS = sizeof option_table / sizeof *option_table, PROCESS_OPTIONS = 6 };

const struct shared_texts computation_texts = {
    .repeat = "measured repetitions, seeds S, S+1, ... (5)",
    .seed = "seed of the random matrix (42)",
    .list = "list the variants; with -f json: describe the benchmark, and the sizes given",
    .version = "show version, OpenMP runtime and BLAS in use"};

struct computation_options computation_options_default(const struct benchmark *benchmark)
{
    return (struct computation_options){
        .tiles = {.count = 1}, .kernels = default_kernels(benchmark), .check = CHECK_FAST};
}

/* Whether a parameter takes the place of an option that the benchmark does not have. */
static bool is_replaced(const struct benchmark *benchmark, const struct argp_option *option)
{
    for (size_t i = 0; i < benchmark->parameter_count; i++)
        if (strcmp(benchmark->parameters[i].name, option->name) == 0)
            return true;
    return false;
}

/* Options of one process, which are refused with their reasons (computation_options_check), are not in the help of several. */
static bool is_hidden(const struct benchmark *benchmark, int key)
{
    if (!benchmark->processes)
        return false;
    return (key == 'm' && !benchmark->rectangular) || (key == 'i' && !benchmark->inner_block) ||
           key == KEY_MATRIX || key == KEY_GRAPH || key == KEY_OMPT;
}

const struct argp_option *computation_options_table(const struct benchmark *benchmark)
{
    static struct argp_option table[OPTIONS + PROCESS_OPTIONS + 1];
    static struct parameter_help kernels;
    size_t count = 0;
    for (size_t i = 0; i < OPTIONS; i++) {
        if (is_replaced(benchmark, &option_table[i]))
            continue;
        table[count] = option_table[i];
        if (table[count].key == KEY_KERNELS)
            kernels_option(benchmark, &table[count], &kernels);
        if (is_hidden(benchmark, table[count].key))
            table[count].flags |= OPTION_HIDDEN;
        count++;
    }
    for (size_t i = 0; benchmark->processes && benchmark->processes->options[i].name; i++)
        table[count++] = benchmark->processes->options[i];
    return table;
}

void computation_options_take(const struct benchmark *benchmark, struct computation_options *o,
                              int key, const char *text)
{
    static const char *const checks[] = {"none", "fast", "full", NULL};
    static const char *const placements[] = {"interleave", "first-touch", NULL};
    switch (key) {
    case 'm':
        o->rows = number_parse(text, "--rows", 1, NUMBER_MAX);
        return;
    case 'b':
        o->tiles = tile_list_parse(text, "--tile");
        return;
    case 'i':
        o->inner = number_parse(text, "--inner", 1, NUMBER_MAX);
        return;
    case 'c':
        o->check = (enum check)choice_parse(text, "--check", checks);
        return;
    case KEY_KERNELS:
        o->kernels = kernels_parse(benchmark, text);
        return;
    case KEY_TRACE:
        o->trace = text;
        return;
    case KEY_TRACED:
        o->traced = number_parse(text, "--traced", 1, REPETITIONS_MAX);
        return;
    case KEY_OMPT:
        o->ompt = true;
        return;
    case KEY_PROCESSOR_TIME:
        o->processor_time = true;
        return;
    case KEY_GRAPH:
        o->graph = text;
        return;
    case KEY_MATRIX:
        o->matrix_path = text;
        return;
    case KEY_NUMA:
        o->first_touch = choice_parse(text, "--numa", placements) == 1;
        return;
    case KEY_PROBE:
        o->probe = true;
        return;
    case KEY_NO_PRIORITY:
        o->no_priority = true;
        return;
    default:
        if (benchmark->processes)
            benchmark->processes->take_option(key, text);
        break;
    }
}

static void check_processes(const struct benchmark *b, const struct computation_options *o)
{
    if (b->processes && o->graph)
        message_fatal(POLLUX_USAGE,
                      "--graph: a graph describes one process, and %s consists of several",
                      b->name);
    if (b->processes && o->ompt)
        message_fatal(POLLUX_USAGE,
                      "--ompt: tasks are recorded of one process, and %s consists of several",
                      b->name);
}

/* The file takes the place of the parameters. */
static void require_own_parameters(const struct benchmark *b, const struct program_options *general)
{
    for (size_t i = 0; i < b->parameter_count; i++)
        if (general->parameters_given >> i & 1u)
            message_fatal(POLLUX_USAGE, "--%s: the file of --matrix takes its place, omit it",
                          b->parameters[i].name);
}

/* Options that only some benchmarks have, or that exclude each other. */
void computation_options_check(const struct benchmark *b, const struct computation_options *o,
                               const struct program_options *general)
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
    if (o->matrix_path && b->pattern_files)
        require_own_parameters(b, general);
    if (o->matrix_path && (general->sizes_given || o->rows > 0))
        message_fatal(POLLUX_USAGE, "--matrix: the file gives the size, omit --size and --rows");
    if (o->matrix_path && general->shared.list)
        message_fatal(POLLUX_USAGE, "--matrix: --list reads no matrix, give --size%s instead",
                      b->rectangular ? " and --rows" : "");
    check_processes(b, o);
    if (o->traced > 0 && !o->trace)
        message_fatal(POLLUX_USAGE, "--traced: repetitions of a trace, give --trace FILE");
    if (o->processor_time && !o->trace)
        message_fatal(POLLUX_USAGE,
                      "--processor-time: its results go into a trace, give --trace FILE");
    if (o->ompt && !o->trace)
        message_fatal(POLLUX_USAGE, "--ompt: its results go into a trace, give --trace FILE");
    if (o->graph && (o->trace || general->shared.output || o->matrix_path))
        message_fatal(POLLUX_USAGE,
                      "--graph computes nothing: omit --trace, --output and --matrix");
}
