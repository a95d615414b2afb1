/* SPDX-License-Identifier: BSD-3-Clause
 * Name and version of the compiler, for records and --version: the one that compiled the task
 * graphs, where it differs from the one that compiles this file. */
#ifndef POLLUX_COMMON_COMPILER_H
#define POLLUX_COMMON_COMPILER_H

#if defined(POLLUX_TASK_COMPILER)
#define POLLUX_COMPILER POLLUX_TASK_COMPILER
#define POLLUX_COMPILER_VERSION POLLUX_TASK_COMPILER_VERSION
#elif defined(__clang__)
#define POLLUX_COMPILER "clang"
#define POLLUX_COMPILER_VERSION __VERSION__
#else
#define POLLUX_COMPILER "gcc"
#define POLLUX_COMPILER_VERSION __VERSION__
#endif

#endif
