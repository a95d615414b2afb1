/* SPDX-License-Identifier: BSD-3-Clause
 * What a task computes, on data of its thread: a chain of multiply-adds, or a product of tiles. */
#ifndef POLLUX_MICRO_WORK_H
#define POLLUX_MICRO_WORK_H

#include <stddef.h>

/** The grain of WORK_CYCLES is a number of multiply-adds, each of which needs the one before; that of WORK_DGEMM the
 * order of the tiles in C := C - A B^T. */
enum work_kind { WORK_CYCLES, WORK_DGEMM };

/** Their names, ended by NULL. */
extern const char *const work_names[];

enum { GRAINS_MAX = 64, DGEMM_MAX = 4096 };

struct work;

/** Data for so many threads. Ends the program with POLLUX_MACHINE if out of memory.
 * @param[in] largest grain */
struct work *work_create(enum work_kind kind, size_t threads, size_t largest);

void work_destroy(struct work *work);

/** Bytes that work_create takes. */
size_t work_bytes(enum work_kind kind, size_t threads, size_t largest);

/** Sets the grain of all later calls. */
void work_set_grain(struct work *work, size_t grain);

/** Computes once, on the data of the calling thread of the team.
 * @param[in] work a struct work */
void work_run(void *work);

/** Multiply-adds of one call. */
double work_units(enum work_kind kind, size_t grain);

/** The grains that 0 stands for: replaces it by the kind's own smallest and largest. */
void work_default_grains(enum work_kind kind, size_t *smallest, size_t *largest);

/** The grains from `smallest` to `largest`: doubled each time, orders of tiles in two steps.
 * @param[in]  smallest, largest 0: the kind's own
 * @param[out] grains GRAINS_MAX entries
 * @return how many */
size_t work_grains(enum work_kind kind, size_t smallest, size_t largest, size_t *grains);

#endif
