/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/run/verification.h"

#include <math.h>

double worse(double a, double b)
{
    return isnan(a) || b <= a ? a : b;
}

void verification_add(struct verification *result, const char *name, double value, double threshold)
{
    bool passed = isfinite(value) && value <= threshold;
    result->residuals[result->count++] = (struct residual){name, value, threshold, passed};
    result->passed = result->passed && passed;
}

void verification_add_scaled(struct verification *result, const char *name, double error,
                             double scale)
{
    static const double threshold = 30.0; /* LAPACK Working Note 41, section 7 */
    double value = error > 0.0 || isnan(error) ? error / scale : 0.0;
    if (!isfinite(scale)) /* squares overflowed: any error would be small beside it */
        value = NAN;
    verification_add(result, name, value, threshold);
}

const char *check_name(enum check check)
{
    static const char *const names[] = {
        [CHECK_NONE] = "none", [CHECK_FAST] = "fast", [CHECK_FULL] = "full"};
    return names[check];
}
