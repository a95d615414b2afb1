/* SPDX-License-Identifier: BSD-3-Clause
 * Memory without which a program cannot go on: where there is none, it ends with one line and POLLUX_MACHINE. */
#ifndef POLLUX_COMMON_MEMORY_H
#define POLLUX_COMMON_MEMORY_H

#include <stddef.h>

/** So many objects of that size, all zero; none are possible. Release with free. */
void *zeros(size_t count, size_t size);

/** A copy of a text; release with free. */
char *text_copy(const char *text);

#endif
