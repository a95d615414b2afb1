/* SPDX-License-Identifier: BSD-3-Clause
 * The table of options, and what each one sets. */
#include "micro/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/message.h"
#include "common/driver/command_line.h"

enum { KEY_ITEMS = 256, KEY_DISTANCE, KEY_LIST, KEY_HELP };

static const struct argp_option option_table[] = {
    {"pattern", 'p', "NAME[,NAME...]", 0, "pattern(s) of tasks, or all; see --list (all)", 1},
    {"tasks", 'n', "N[,N...]", 0, "tasks created in a row: a list, or START:STOP:STEP (1024)", 1},
    {"items", KEY_ITEMS, "K[,K...]", 0,
     "depend items of a task where the pattern does not fix them: 1, 2, 4, 8, 16, 32 or 64 (1)", 1},
    {"distance", KEY_DISTANCE, "BYTES[,BYTES...]", 0,
     "distance of the addresses that items name (64)", 1},
    {"threads", 't', "T[,T...]", 0, "threads (OMP_NUM_THREADS, else the allowed processors)", 1},
    {"repeat", 'r', "R", 0, "measured repetitions (5)", 2},
    {"warmup", 'w', "W", 0, "repetitions before them that are not measured (1)", 2},
    {"seed", 's', "S", 0, "seed of patterns that are random (42)", 2},
    {"format", 'f', "table|json|csv", 0, "what is written to standard output (table)", 3},
    {"output", 'o', "FILE", 0, "append one JSON line for each repetition", 3},
    {"list", KEY_LIST, NULL, 0, "list the patterns; with -f json: as JSON", 4},
    {"version", 'V', NULL, 0, "show version and OpenMP runtime in use", 4},
    {"help", KEY_HELP, NULL, 0, "show this help", 4},
    {0}};

static const char doc[] =
    "task-overhead: what a task with dependences costs in the runtime: its creation, each item, "
    "its release, "
    "completion.\v"
    "Example: -p chain,independent -n 1024 --items 1,16 -t 1,2 -o overheads.jsonl\n\n"
    "Exit status: 0 all right, 1 tasks ran in a wrong order, 2 bad usage, "
    "3 the machine cannot do it.";

static void add_pattern(struct micro_options *o, const struct pattern *pattern)
{
    for (size_t i = 0; i < o->pattern_count; i++)
        if (o->patterns[i] == pattern)
            return;
    o->patterns[o->pattern_count++] = pattern;
}

static const struct pattern *find_pattern(const char *name)
{
    char known[512] = "all";
    for (size_t i = 0; patterns[i]; i++)
        if (strcmp(name, patterns[i]->name) == 0)
            return patterns[i];
    for (size_t i = 0; patterns[i]; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, ", %s", patterns[i]->name);
    }
    message_fatal(POLLUX_USAGE, "--pattern %s: unknown; possible are %s", name, known);
}

static void add_all_patterns(struct micro_options *o)
{
    o->all_patterns = true;
    for (size_t i = 0; patterns[i]; i++)
        add_pattern(o, patterns[i]);
}

static void parse_patterns(struct micro_options *o, const char *text)
{
    char *copy = strdup(text), *rest = copy;
    if (!copy)
        message_fatal(POLLUX_MACHINE, "no memory");
    for (char *name; (name = strsep(&rest, ","));) {
        if (strcmp(name, "all") == 0)
            add_all_patterns(o);
        else
            add_pattern(o, find_pattern(name));
    }
    free(copy);
}

/* The numbers of items for which independent.c has a task. */
static struct number_list parse_items(const char *text)
{
    struct number_list items = number_list_parse(text, "--items", 1, ITEMS_MAX);
    for (size_t i = 0; i < items.count; i++)
        if ((items.value[i] & (items.value[i] - 1)) != 0)
            message_fatal(POLLUX_USAGE, "--items %zu: 1, 2, 4, 8, 16, 32 or 64 is needed",
                          items.value[i]);
    return items;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct micro_options *o = state->input;
    switch (key) {
    case 'p':
        parse_patterns(o, text);
        return 0;
    case 'n':
        o->tasks = number_list_parse(text, "--tasks", 1, NUMBER_MAX);
        return 0;
    case KEY_ITEMS:
        o->items = parse_items(text);
        return 0;
    case KEY_DISTANCE:
        o->distances = number_list_parse(text, "--distance", 1, NUMBER_MAX);
        return 0;
    case 't':
        o->threads = command_line_threads(text);
        return 0;
    case 'r':
        o->repeat = number_parse(text, "--repeat", 1, 1000000);
        return 0;
    case 'w':
        o->warmup = number_parse(text, "--warmup", 0, 1000000);
        return 0;
    case 's':
        o->seed = number_parse(text, "--seed", 0, INT64_MAX / 2);
        return 0;
    case 'f':
        o->format = command_line_format(text);
        return 0;
    case 'o':
        o->output = text;
        return 0;
    case 'V':
        o->version = true;
        return 0;
    case KEY_LIST:
        o->list = true;
        return 0;
    case KEY_HELP:
        command_line_help(state);
    default:
        return command_line_other(key, text, state);
    }
}

struct micro_options micro_options_parse(int argc, char **argv)
{
    struct micro_options o = {.tasks = {1, {1024}},
                              .items = {1, {1}},
                              .distances = {1, {64}},
                              .repeat = 5,
                              .warmup = 1,
                              .seed = 42};
    const struct argp argp = {.options = option_table, .parser = parse_option, .doc = doc};
    command_line_parse(&argp, argc, argv, &o);
    if (o.pattern_count == 0)
        add_all_patterns(&o);
    return o;
}
