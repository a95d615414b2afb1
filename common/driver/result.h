/* SPDX-License-Identifier: BSD-3-Clause
 * What one repetition of a point gave. */
#ifndef POLLUX_RESULT_H
#define POLLUX_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/period.h"

enum { QUANTITIES_MAX = 16, RESULT_FAULT_SIZE = 160 };

/** The driver sets the first three, and has set every quantity to NaN. */
struct result {
    size_t repetition; /**< from 0 */
    bool warm_up;      /**< one before them, of which nothing is kept */
    struct period period;
    double value[QUANTITIES_MAX];       /**< of the quantities; NaN: not known */
    const char *reason[QUANTITIES_MAX]; /**< why not; NULL where it is */
    bool passed;
    char fault
        [RESULT_FAULT_SIZE]; /**< what was wrong; empty where passed. Its quantities are forgotten. */
    json_t *figures;         /**< further numbers of the record: an object that the driver made */
    json_t *unknown;         /**< why those of these names are null: likewise */
    json_t *details;         /**< further results that are no numbers: likewise */
    json_t *levels; /**< threads of nested regions (docs/record.md); NULL: there are none */
    json_t *mpi;    /**< the ranks of a program over MPI (docs/record.md); NULL: it is none */
};

/** Marks a repetition as failed; the first fault is kept. */
__attribute__((format(printf, 2, 3))) void result_fail(struct result *result, const char *format,
                                                       ...);

/** Sets a figure of the record; null where the number is not finite, for this reason. What is measured is forgotten where
 * the repetition failed; counts are not, which are set as integers.
 * @param[in] reason NULL where the number is always known */
void result_set_figure(struct result *result, const char *name, double value, const char *reason);

/** Median of those values of a quantity that are known; NaN where none is. */
double result_median(const struct result *results, size_t count, size_t quantity);

#endif
