/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/matrix/refusal.h"

#include <stdarg.h>
#include <stdio.h>

bool refuse(struct refusal *refusal, enum pollux_exit status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refusal->status = status;
    vsnprintf(refusal->text, sizeof refusal->text, format, arguments);
    va_end(arguments);
    return false;
}
