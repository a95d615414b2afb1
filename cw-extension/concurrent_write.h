/* SPDX-License-Identifier: BSD-3-Clause
 * What "concurrent write" means for each compiler: tasks that name an address in this mode run
 * concurrently with each other and are ordered against all tasks that name it in another mode.
 *
 * No compiler expands macros inside a pragma in the same way, so this header does not hide the
 * clause: it names the one in use, and the task graphs write all four out.
 *
 *   POLLUX_CW_LIBKOMP     depend(cw: …)         libKOMP's compiler
 *   POLLUX_CW_OMPSS       concurrent(…)         OmpSs (Mercurium)
 *   POLLUX_CW_INOUTSET    depend(inoutset: …)   OpenMP 5.1
 *   POLLUX_CW_SUBSTITUTE  depend(in: …)         no such clause
 *
 * The substitute calls the updates readers. Readers run concurrently with each other too, and are
 * ordered against the tasks that name the address as inout. It differs from concurrent write where
 * a task really reads the address after the set, which no task does to a column's stand-in. */
#ifndef POLLUX_CW_EXTENSION_CONCURRENT_WRITE_H
#define POLLUX_CW_EXTENSION_CONCURRENT_WRITE_H

#include "common/run/benchmark.h"

#if defined(POLLUX_HAVE_DEPEND_CW)
#define POLLUX_CW_LIBKOMP
#elif defined(POLLUX_HAVE_CONCURRENT)
#define POLLUX_CW_OMPSS
#elif defined(POLLUX_HAVE_INOUTSET)
#define POLLUX_CW_INOUTSET
#else
#define POLLUX_CW_SUBSTITUTE
#endif

/* What a runtime has to have for it beyond the base. */
#if defined(POLLUX_CW_INOUTSET)
enum { CONCURRENT_WRITE_NEEDS = CAPABILITY_INOUTSET };
#else
enum { CONCURRENT_WRITE_NEEDS = 0 };
#endif

/** The clause in use. Its probe runs two concurrent writers and a later task that excludes both: "concurrent" (the
 * writers overlapped, the later task came after both), "serialised", "broken" (the later task did not wait), or "not
 * shown" (the team was of one thread). It takes about a second at most. */
extern const struct concurrent_write concurrent_write;

/** depend(in), whatever the compiler has. */
extern const struct concurrent_write concurrent_readers;

#endif
