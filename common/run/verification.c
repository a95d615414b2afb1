/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/run/verification.h"

#include <math.h>

void verification_add(struct verification *result, const char *name, double value, double threshold)
{
    bool passed = isfinite(value) && value <= threshold;
    result->residuals[result->count++] = (struct residual){name, value, threshold, passed};
    result->passed = result->passed && passed;
}

const char *check_name(enum check check)
{
    static const char *const names[] = {
        [CHECK_NONE] = "none", [CHECK_FAST] = "fast", [CHECK_FULL] = "full"};
    return names[check];
}
