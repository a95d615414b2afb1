/* SPDX-License-Identifier: BSD-3-Clause
 * What a verification gives: residuals against thresholds. */
#ifndef POLLUX_COMMON_VERIFICATION_H
#define POLLUX_COMMON_VERIFICATION_H

#include <stdbool.h>
#include <stddef.h>

enum check { CHECK_NONE, CHECK_FAST, CHECK_FULL };

enum { PROBES = 4, RESIDUALS_MAX = 4 };

struct residual {
    const char *name;
    double value; /**< scaled; may be NaN or infinite, and has then not passed */
    double threshold;
    bool passed;
};

struct verification {
    size_t count;
    struct residual residuals[RESIDUALS_MAX];
    bool passed; /**< all residuals passed; true where there are none */
};

/** The larger of two errors; NaN if one is. */
double worse(double a, double b);

/** Adds a residual, which passes if it is at most the threshold.
 * @param[in] name upper-case words joined by hyphens: "A-LU" */
void verification_add(struct verification *result, const char *name, double value,
                      double threshold);

/** Adds an error that is to be small against a scale, by LAPACK's threshold (common/run/verify.h). */
void verification_add_scaled(struct verification *result, const char *name, double error,
                             double scale);

/** Name of a check as on the command line. */
const char *check_name(enum check check);

#endif
