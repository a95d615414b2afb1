/* SPDX-License-Identifier: BSD-3-Clause
 * What JSON cannot hold as it is: text from outside, such as paths and variables, which may hold any bytes, and numbers that
 * are not finite. */
#ifndef POLLUX_COMMON_JSON_H
#define POLLUX_COMMON_JSON_H

#include <jansson.h>

/** The text as a JSON string; each byte that belongs to no character of UTF-8 becomes U+FFFD. */
json_t *json_text(const char *text);

/** The same, or null of an empty text. */
json_t *json_text_or_null(const char *text);

/** A number; null where it is not finite. */
json_t *real_or_null(double value);

#endif
