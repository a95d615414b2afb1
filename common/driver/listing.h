/* SPDX-License-Identifier: BSD-3-Clause
 * Answers to --list and --version. */
#ifndef POLLUX_COMMON_LISTING_H
#define POLLUX_COMMON_LISTING_H

#include "common/driver/options.h"
#include "common/process/setup.h"

/** The variants with their summaries, as a table or as a JSON array, and whether this build can run
 * them on this runtime. */
void listing_variants(enum format format, const struct benchmark *benchmark,
                      const struct runtime_identity *runtime);

/** Version, compiler, runtime and BLAS in use, and what concurrent write means where it is used. */
void listing_version(const struct benchmark *benchmark, const struct setup *setup);

#endif
