/* SPDX-License-Identifier: BSD-3-Clause
 * Texts that are put together in buffers, and words separated by commas. */
#ifndef POLLUX_COMMON_TEXT_H
#define POLLUX_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/** Appends to the text in a buffer of that size; what does not fit is left out. */
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Appends an item to a list, after a separator where it is not the first. */
void text_add_item(char *list, size_t size, const char *separator, const char *item);

/** Whether a list such as "cpu,cpuacct" contains the word of that length. */
bool text_lists(const char *list, const char *word, size_t length);

#endif
