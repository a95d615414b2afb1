/* SPDX-License-Identifier: BSD-3-Clause
 * What C++23's <stdatomic.h> gives, for C++17: the names of C11's atomics that the project's headers
 * use, as std::atomic. Both compilers give the two the same layout, as C++23 requires. */
#ifndef POLLUX_TESTS_C11_STDATOMIC_H
#define POLLUX_TESTS_C11_STDATOMIC_H

#include <atomic>

using std::atomic_int_least64_t;
using std::atomic_load_explicit;
using std::memory_order_relaxed;

#endif
