/* SPDX-License-Identifier: BSD-3-Clause
 * Words separated by commas. */
#ifndef POLLUX_COMMON_WORD_LIST_H
#define POLLUX_COMMON_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/** Whether a list such as "cpu,cpuacct" contains the word of that length. */
bool word_list_contains(const char *list, const char *word, size_t length);

#endif
