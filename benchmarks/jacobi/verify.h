/* SPDX-License-Identifier: BSD-3-Clause
 * Two checks of a result, which know nothing of tasks and tiles (docs/verification.md):
 *
 *   WRONG-POINTS  points whose bits are not those of sequential sweeps: none may be
 *   MODES         a sweep multiplies the error's component along sin(kπx) sin(lπy) by a known factor. The
 *                 sweeps of a run have to do so, for a few such components, up to rounding: this fails
 *                 where the sweeps are those of another equation. */
#ifndef POLLUX_BENCHMARKS_JACOBI_VERIFY_H
#define POLLUX_BENCHMARKS_JACOBI_VERIFY_H

#include "common/run/benchmark.h"

/** The largest deviation of a component, in units of its roundings.
 * @return false if out of memory */
bool verify_modes(const struct problem *p, double *deviation);

#endif
