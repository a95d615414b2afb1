/* SPDX-License-Identifier: BSD-3-Clause
 * Environment variables that a runtime needs to be usable. */
#ifndef POLLUX_COMMON_RUNTIME_SETTINGS_H
#define POLLUX_COMMON_RUNTIME_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/restart.h"
#include "common/identity/runtime_identity.h"

enum { RUNTIME_SETTINGS_MAX = 4 };

/** Writes the settings that this runtime needs and that the environment does not set: what the
 * user chose is kept.
 * @param[in]  priorities whether task priorities are to take effect; matters where only a
 *   variable of the runtime's own can switch them off
 * @param[out] settings room for RUNTIME_SETTINGS_MAX
 * @return their number */
size_t runtime_settings(const struct runtime_identity *runtime, bool priorities,
                        struct setting *settings);

/** True where priorities take effect although OpenMP's routines do not say so: on Nanos++, unless
 * an option switches them off. */
bool runtime_settings_priorities(const struct runtime_identity *runtime);

/** False for a runtime whose threads no variable binds to processors: BOLT's take the pools of
 * OMP_PLACES, but the system moves them. */
bool runtime_settings_can_bind(const struct runtime_identity *runtime);

#endif
