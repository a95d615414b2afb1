/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers in files of matrices, read whole or not at all. */
#ifndef POLLUX_COMMON_FILE_NUMBER_H
#define POLLUX_COMMON_FILE_NUMBER_H

#include <stddef.h>

enum number_fault {
    NUMBER_READ,
    NUMBER_INVALID,      /**< not a number, or not all of it is */
    NUMBER_OUT_OF_RANGE, /**< more than `most`, or too large or too small for double precision */
    NUMBER_NOT_EXACT     /**< a whole number that double precision rounds */
};

/** A count or an index: digits only, at most `most`. */
enum number_fault file_number_count(const char *text, size_t length, size_t most, size_t *value);

/** A whole number with or without a sign, exactly. */
enum number_fault file_number_integer(const char *text, size_t length, double *value);

/** A decimal number, `nan`, `inf` or `infinity`. The exponent may begin with E, D or Q or, as
 * Fortran writes long ones, with its sign: 1.5D+05, 1.5-101. */
enum number_fault file_number_real(const char *text, size_t length, double *value);

#endif
