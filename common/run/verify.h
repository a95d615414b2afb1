/* SPDX-License-Identifier: BSD-3-Clause
 * Numerical residuals of a factorization, by products with a block of vectors X:
 *
 *     A X - (product of the factors) X = E X,      X - Qᵀ(Q X)
 *
 * `full` takes the identity for X, block by block, and so finds ‖E‖ (Frobenius) itself at O(n³).
 * `fast` takes PROBES vectors of random signs at O(n²). For such a vector the expected value of
 * ‖E x‖² is ‖E‖² (Hutchinson, "A stochastic estimator of the trace of the influence matrix",
 * Commun. Stat. Simul. 19(2), 1990), and an error in a single element is never missed.
 *
 * Both are scaled: ‖E‖ / (max(m, n) ε ‖A‖), and ‖I - QᵀQ‖ / (m ε); ε is the unit roundoff times
 * two (DBL_EPSILON). LAPACK's testers use the threshold 30 (LAPACK Working Note 41, §7). */
#ifndef POLLUX_COMMON_VERIFY_H
#define POLLUX_COMMON_VERIFY_H

#include <stdbool.h>

#include "common/run/benchmark.h"

/** Verifies the result by the benchmark's own function, or the factors in problem->A against
 * problem->input, which is generated again.
 * @return false if out of memory; result is then not set */
bool verify(const struct benchmark *benchmark, struct problem *problem, enum check check,
            struct verification *result);

#endif
