/* SPDX-License-Identifier: BSD-3-Clause
 * Words on a command line of which one is chosen. */
#ifndef POLLUX_COMMON_CHOICE_H
#define POLLUX_COMMON_CHOICE_H

#include <stddef.h>

/** The place of a word in a list ended by NULL. Another word ends the program with one line that names the
 * option and the words (POLLUX_USAGE). */
size_t choice_parse(const char *text, const char *option, const char *const *choices);

#endif
