/* SPDX-License-Identifier: BSD-3-Clause
 * Their table, defaults and values. */
#include "common/driver/shared_options.h"

#include <string.h>

#include "common/base/command_line.h"
#include "common/base/limits.h"
#include "common/execution/team.h"

enum { LAST_GROUP = 5 };

/* Of options that have no letter. */
enum { KEY_LIST = 256, KEY_HELP };

const struct shared_options shared_defaults = {.repeat = 5, .warmup = 1, .seed = 42};

struct number_list requested_threads(const struct shared_options *options)
{
    return options->threads.count > 0 ? options->threads
                                      : (struct number_list){1, {team_default_threads()}};
}

void shared_options_add(struct argp_option *table, const struct shared_texts *texts, bool nested)
{
    static const struct argp_option threads[] = {
        {"threads", 't', "T[,T...]", 0,
         "threads (OMP_NUM_THREADS, else as processors and CPU quota allow)", 1},
        {"outer", 0, NULL, OPTION_ALIAS, NULL, 1}};
    const struct argp_option others[] = {
        {"repeat", 'r', "R", 0, texts->repeat, 2},
        {"warmup", 'w', "W", 0, "repetitions before them that are not measured (1)", 2},
        {"seed", 's', "S", 0, texts->seed, 2},
        {"format", 'f', "table|json|csv", 0, "what is written to standard output (table)", 3},
        {"output", 'o', "FILE", 0, "append one JSON line for each repetition", 3},
        {"list", KEY_LIST, NULL, 0, texts->list, LAST_GROUP},
        {"version", 'V', NULL, 0, texts->version, LAST_GROUP},
        {"help", KEY_HELP, NULL, 0, "show this help", LAST_GROUP}};
    memcpy(table, threads, sizeof threads);
    memcpy(table + (nested ? 2 : 1), others, sizeof others);
}

bool shared_options_take(struct shared_options *o, int key, const char *text,
                         struct argp_state *state)
{
    static const char *const formats[] = {"table", "json", "csv", NULL};
    switch (key) {
    case 't':
        o->threads = number_list_parse(text, "--threads", 1, THREADS_MAX);
        return true;
    case 'r':
        o->repeat = number_parse(text, "--repeat", 1, REPETITIONS_MAX);
        return true;
    case 'w':
        o->warmup = number_parse(text, "--warmup", 0, REPETITIONS_MAX);
        return true;
    case 's':
        o->seed = number_parse(text, "--seed", 0, INT64_MAX / 2);
        return true;
    case 'f':
        o->format = (enum format)choice_parse(text, "--format", formats);
        return true;
    case 'o':
        o->output = text;
        return true;
    case 'V':
        o->version = true;
        return true;
    case KEY_LIST:
        o->list = true;
        return true;
    case KEY_HELP:
        command_line_help(state);
    default:
        return false;
    }
}
