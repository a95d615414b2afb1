/* SPDX-License-Identifier: BSD-3-Clause
 * Why a file is not read: a status and a sentence, which the caller prints or compares. */
#ifndef POLLUX_COMMON_REFUSAL_H
#define POLLUX_COMMON_REFUSAL_H

#include <stdbool.h>

#include "common/base/message.h"

struct refusal {
    enum pollux_exit status;
    char text[2048]; /**< one line */
};

/** Fills in the refusal.
 * @return false, for the function that refuses */
bool refuse(struct refusal *refusal, enum pollux_exit status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
