/* SPDX-License-Identifier: BSD-3-Clause
 * Name of the compiler, for records and --version; its version is __VERSION__. */
#ifndef POLLUX_COMMON_COMPILER_H
#define POLLUX_COMMON_COMPILER_H

#if defined(_MERCURIUM)
#define POLLUX_COMPILER "mcc"
#elif defined(__clang__)
#define POLLUX_COMPILER "clang"
#else
#define POLLUX_COMPILER "gcc"
#endif

#endif
