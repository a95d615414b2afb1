/* SPDX-License-Identifier: BSD-3-Clause
 * Memory without which a program cannot go on: where there is none, it ends with one line and POLLUX_MACHINE. */
#ifndef POLLUX_COMMON_MEMORY_H
#define POLLUX_COMMON_MEMORY_H

#include <stddef.h>

/** So many objects of that size, all zero; none are possible. Release with free. */
void *zeros(size_t count, size_t size);

/** The same; the line says for what there is no memory, such as "%zu repetitions". */
void *zeros_for(size_t count, size_t size, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/** An array of `count` objects with room for one more: its capacity is doubled where it is full.
 * @param[in] array NULL before the first, with a capacity of 0
 * @return the array, in place of the former one; release with free */
void *grown(void *array, size_t count, size_t *capacity, size_t size, const char *what, ...)
    __attribute__((format(printf, 5, 6)));

/** A copy of a text; release with free. */
char *text_copy(const char *text);

#endif
