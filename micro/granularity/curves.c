/* SPDX-License-Identifier: BSD-3-Clause
 * What is printed is read from the records' own curves. */
#include "micro/granularity/curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/json.h"
#include "common/base/memory.h"
#include "common/base/statistics.h"
#include "common/driver/program.h"

static const double WORTHWHILE = 0.9;

json_t *curve_json(const struct curve_point *curve, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            list, json_pack("{s:I, s:f, s:f, s:f, s:f, s:o}", "grain", (json_int_t)curve[i].grain,
                            "ns_per_task", curve[i].ns_per_task, "granularity_ns",
                            curve[i].granularity_ns, "reference_ns", curve[i].reference_ns,
                            "efficiency", curve[i].efficiency, "efficiency_best",
                            real_or_null(curve[i].efficiency_best)));
    return list;
}

/* The median of a field at one grain; its values in ascending order. */
static double median_at(const struct result *results, size_t count, size_t at, const char *field,
                        double *values)
{
    for (size_t r = 0; r < count; r++) {
        const json_t *curve = json_object_get(results[r].details, "curve");
        values[r] = json_real_value(json_object_get(json_array_get(curve, at), field));
    }
    return median(values, count);
}

const char *curves_answer(const size_t *grains, const double *efficiency, size_t count,
                          double attainable, char *answer)
{
    size_t first = first_efficient(efficiency, count, WORTHWHILE);
    if (attainable <= WORTHWHILE)
        snprintf(answer, ANSWER_SIZE,
                 "the pattern allows %.0f %% at most on so many threads, whatever the runtime",
                 100.0 * attainable);
    else if (first == count)
        snprintf(answer, ANSWER_SIZE,
                 "up to NB = %zu this runtime wastes more than 10 %% on this machine",
                 grains[count - 1]);
    else if (first == 0)
        snprintf(answer, ANSWER_SIZE,
                 "already with NB = %zu this runtime wastes no more than 10 %% on this machine",
                 grains[0]);
    else
        snprintf(answer, ANSWER_SIZE,
                 "below NB = %zu this runtime wastes more than 10 %% on this machine",
                 grains[first]);
    return answer;
}

/* @return the median efficiency */
static double print_grain(const struct result *results, size_t count, size_t at, double *values)
{
    double granularity = median_at(results, count, at, "granularity_ns", values);
    double efficiency = median_at(results, count, at, "efficiency", values);
    printf(" %14.1f %9.1f %% %9.1f %% %9.1f %%\n", granularity, 100.0 * efficiency,
           100.0 * values[0], 100.0 * values[count - 1]);
    return efficiency;
}

void curves_print(enum work_kind kind, const struct result *results, size_t count)
{
    const json_t *curve = json_object_get(results[0].details, "curve");
    double attainable = json_real_value(json_object_get(results[0].figures, "attainable"));
    size_t grains[GRAINS_MAX], points = json_array_size(curve);
    double efficiency[GRAINS_MAX];
    double *values = zeros_for(count, sizeof *values, "%zu repetitions", count);
    char answer[ANSWER_SIZE];
    for (size_t r = 0; r < count; r++)
        if (!results[r].passed)
            points = 0;
    if (points > 0)
        printf("    %10s %14s %11s %11s %11s\n", kind == WORK_DGEMM ? "NB" : "grain",
               "granularity ns", "efficiency", "lowest", "highest");
    for (size_t i = 0; i < points; i++) {
        grains[i] = (size_t)json_integer_value(json_object_get(json_array_get(curve, i), "grain"));
        printf("    %10zu", grains[i]);
        efficiency[i] = print_grain(results, count, i, values);
    }
    if (points > 0 && kind == WORK_DGEMM)
        printf("    %s\n", curves_answer(grains, efficiency, points, attainable, answer));
    free(values);
}
