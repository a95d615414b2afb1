/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers on a command line: one, a list, or a range. Invalid text ends the program with one line that
 * names the option (POLLUX_USAGE). */
#ifndef POLLUX_COMMON_NUMBER_LIST_H
#define POLLUX_COMMON_NUMBER_LIST_H

#include <limits.h>
#include <stddef.h>

enum { LIST_MAX = 256 };

enum { NUMBER_MAX = INT_MAX }; /* LAPACK's integers */

/** Numbers given as "N,N,…" or "START:STOP:STEP", in the order given; count 0: not given. */
struct number_list {
    size_t count;
    size_t value[LIST_MAX];
};

/** Reads a whole number in [least, most]. */
size_t number_parse(const char *text, const char *option, size_t least, size_t most);

/** Reads numbers in [least, most], one or more, any of them a range. */
struct number_list number_list_parse(const char *text, const char *option, size_t least,
                                     size_t most);

/** Appends the numbers of START:STOP:STEP, both ends included and in [least, most]. */
void number_list_add_range(struct number_list *list, const char *text, const char *option,
                           size_t least, size_t most);

#endif
