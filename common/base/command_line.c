/* SPDX-License-Identifier: BSD-3-Clause
 * argp's own help and error messages are silenced; each error is one line, printed here. */
#include "common/base/command_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/message.h"
#include "common/base/text.h"

_Noreturn void command_line_help(struct argp_state *state)
{
    static char name[64];
    snprintf(name, sizeof name, "%s", message_program_name());
    argp_help(state->root_argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC,
              name);
    message_flush_output();
    exit(POLLUX_OK);
}

/* getopt stops after an option that is unknown or lacks its value; within a group of
 * short options it stops at the group. */
static _Noreturn void fail_at(const struct argp_state *state)
{
    int behind = state->next;
    bool at_group = behind < state->argc && (behind == 1 || state->argv[behind - 1][0] != '-');
    message_fatal(POLLUX_USAGE, "'%s' is unknown or lacks its value; see %s --help",
                  quoted(state->argv[at_group ? behind : behind - 1]).text, message_program_name());
}

error_t command_line_other(int key, const char *text, struct argp_state *state)
{
    if (key == ARGP_KEY_ERROR)
        fail_at(state);
    if (key == ARGP_KEY_ARG)
        message_fatal(POLLUX_USAGE, "'%s' is not an option; see %s --help", quoted(text).text,
                      message_program_name());
    return ARGP_ERR_UNKNOWN;
}

size_t choice_parse(const char *text, const char *option, const char *const *choices)
{
    char known[128] = "";
    for (size_t i = 0; choices[i]; i++) {
        if (strcmp(text, choices[i]) == 0)
            return i;
        text_add_item(known, sizeof known, ", ", choices[i]);
    }
    message_fatal(POLLUX_USAGE, "%s %s: unknown; choose from %s", option, quoted(text).text, known);
}

void command_line_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    if (argp_parse(argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP, NULL, input))
        message_fatal(POLLUX_USAGE, "the command line is wrong; see %s --help",
                      message_program_name());
}
