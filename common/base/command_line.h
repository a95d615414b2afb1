/* SPDX-License-Identifier: BSD-3-Clause
 * What the command lines of all executables have in common: argp's help and errors in the form of the project. */
#ifndef POLLUX_COMMON_COMMAND_LINE_H
#define POLLUX_COMMON_COMMAND_LINE_H

#include <argp.h>
#include <stddef.h>

/** Reads a command line by `argp`, whose parser gets `input` and hands keys that it does not know to
 * command_line_other. An error ends the program with one line and POLLUX_USAGE. */
void command_line_parse(const struct argp *argp, int argc, char **argv, void *input);

/** What a parser returns for keys that are no options of its own: refuses stray arguments, unknown options
 * and options without their value. */
error_t command_line_other(int key, const char *text, struct argp_state *state);

/** The place of a word in a list ended by NULL. Another word ends the program with one line that names the
 * option and the words (POLLUX_USAGE). */
size_t choice_parse(const char *text, const char *option, const char *const *choices);

/** Prints the help and ends the program with POLLUX_OK. */
_Noreturn void command_line_help(struct argp_state *state);

#endif
