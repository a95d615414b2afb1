/* SPDX-License-Identifier: BSD-3-Clause
 * Curves in records, and over the repetitions of a point below its row in the table. */
#ifndef POLLUX_MICRO_CURVES_H
#define POLLUX_MICRO_CURVES_H

#include <jansson.h>

#include "micro/granularity/metg.h"
#include "micro/granularity/work.h"

struct result;

/** The field `curve` of a record; release with json_decref. */
json_t *curve_json(const struct curve_point *curve, size_t count);

/** Prints each grain's median, lowest and highest efficiency, and for tiles the order below which more than a tenth
 * of the time is lost. Nothing where a repetition failed. */
void curves_print(enum work_kind kind, const struct result *results, size_t count);

/** "below NB = 96 this runtime wastes more than 10 % on this machine", or what else is true of these median
 * efficiencies, in a buffer of ANSWER_SIZE.
 * @param[in] attainable the efficiency that the pattern allows (bench_attainable) */
enum { ANSWER_SIZE = 160 };
const char *curves_answer(const size_t *grains, const double *efficiency, size_t count,
                          double attainable, char *answer);

#endif
