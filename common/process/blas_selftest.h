/* SPDX-License-Identifier: BSD-3-Clause
 * Whether the BLAS computes right products when several threads call it. */
#ifndef POLLUX_COMMON_BLAS_SELFTEST_H
#define POLLUX_COMMON_BLAS_SELFTEST_H

#include <stddef.h>

/** Lets `threads` threads compute the same few tile products at once and compares each with the
 * one-thread result bit for bit.
 * @param[in] order of the products
 * @return number of products that differ, or -1 if out of memory */
long blas_selftest(size_t order, size_t threads);

/** Runs the test; ends the program with one line and POLLUX_MACHINE if it fails. */
void blas_require_selftest(size_t order, size_t threads);

#endif
