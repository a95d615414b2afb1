/* SPDX-License-Identifier: BSD-3-Clause
 * Whether a variant can run with this compiler and runtime, and what its concurrent write does. */
#ifndef POLLUX_COMPUTATION_AVAILABILITY_H
#define POLLUX_COMPUTATION_AVAILABILITY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/number_list.h"
#include "common/driver/program.h"
#include "common/identity/capabilities.h"
#include "common/run/benchmark.h"

enum { WRITES_MAX = 4 };

/** What a way of writing concurrently did in a process of its own. */
struct probed {
    const struct concurrent_write *write;
    char observed[16];        /**< as its probe says; empty where it cannot be used */
    char reason[REASON_SIZE]; /**< why it cannot; else empty */
};

/** What is known so far. */
struct availability {
    const struct runtime_identity *runtime;
    size_t threads; /**< of the team that probes */
    struct probed probed[WRITES_MAX];
    size_t count;
};

/** @param[in] threads  of --threads
 *  @param[in] runtime  borrowed */
struct availability availability_begin(const struct number_list *threads,
                                       const struct runtime_identity *runtime);

/** @param[out] reason REASON_SIZE characters: why it cannot run, as the end of a sentence; else empty */
bool variant_available(struct availability *availability, const struct variant *variant,
                       char *reason);

/** Whether the user's settings allow the parallel regions of a nested variant; if not, `reason` says it as above. */
bool variant_levels_allowed(const struct variant *variant, char *reason, size_t size);

/** What the variant's concurrent write does: "concurrent", "serialised" or "not shown". NULL: it has none, or cannot
 * run. */
const char *variant_observed(struct availability *availability, const struct variant *variant);

/** Prints what the variant's concurrent write does in this process: what variant_available starts. */
void variant_probe(const struct variant *variant, size_t threads);

#endif
