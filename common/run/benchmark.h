/* SPDX-License-Identifier: BSD-3-Clause
 * What a benchmark is: a table of variants and a few functions. The driver does the rest. */
#ifndef POLLUX_COMMON_BENCHMARK_H
#define POLLUX_COMMON_BENCHMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/execution/execution.h"
#include "common/identity/capabilities.h"
#include "common/matrix/input.h"
#include "common/matrix/kernel_set.h"
#include "common/matrix/tile_matrix.h"

/** Priorities of tasks on and near the critical path; other tasks have 0, or that of their step. They
 * take effect where OMP_MAX_TASK_PRIORITY is at least PRIORITY_MAX when the runtime starts. */
enum priority { PRIORITY_NEXT = 32, PRIORITY_SOLVE = 33, PRIORITY_PANEL = 34, PRIORITY_MAX = 34 };

/** Below PRIORITY_NEXT, an older step has a higher priority. With few steps, and thus long tasks, this
 * keeps any column from falling so far behind that only its tasks are left at the end. With more
 * steps, all have 0. */
static inline int priority_of_step(size_t k, size_t steps)
{
    return steps <= PRIORITY_NEXT ? (int)(steps - 1 - k) : 0;
}

/** One factorization to be run: sizes, matrix and what the algorithm adds to it. */
struct problem {
    size_t m, n;    /**< rows and columns */
    size_t mb, nb;  /**< tile as requested (A's is cut to the matrix) */
    size_t ib;      /**< inner block of QR, else 0 */
    size_t threads; /**< threads of the team */
    const struct topology
        *interleave; /**< machine over whose nodes pages are spread, or NULL: first touch */
    struct input input;
    struct tile_matrix *A;
    struct execution *execution;
    void *factors; /**< pivots, T …: the algorithm's own */
};

/** One way to express the algorithm's task graph. */
struct variant {
    const char *name;
    const char *summary;      /**< one line */
    const char *digest_group; /**< variants of one group give the same factors bit for bit */
    enum input_kind input;    /**< the random input it is made for */
    bool sequential;          /**< runs outside any parallel region */
    /** Most tasks with dependences that a step has for each tile it updates; 0: none have any. */
    unsigned tasks_per_update;
    unsigned needs; /**< set of enum capability: what it needs beyond the base */
    /** Creates the tasks, called by one thread of the team; NULL if this build cannot. */
    void (*submit)(struct problem *problem);
};

/** How concurrent write was expressed and its observed behaviour; see cw-extension/. */
struct concurrent_write {
    const char *clause;   /**< the clause used, as written */
    bool native;          /**< false: a substitute, because the compiler has no such clause */
    const char *observed; /**< "concurrent", "serialised", "broken" or "not shown" */
};

/** A benchmark: an algorithm with its variants. Functions may be NULL where noted. */
struct benchmark {
    const char *name;
    const char *algorithm; /**< that of benchmarks whose variants are compared */
    const char *summary;
    const struct variant *variants;
    size_t variant_count;
    const struct kernel *const *kernels; /**< those that its tasks call */
    size_t kernel_count;
    const char *default_variant;
    bool rectangular;          /**< m != n is allowed */
    bool symmetric;            /**< the input is symmetric and only its lower triangle is used */
    bool inner_block;          /**< ib matters */
    bool tall_tiles;           /**< mb != nb is allowed */
    const char *residual_name; /**< e.g. "A-LLT" */
    const char *orthogonality_name; /**< NULL where round_trip is */
    const char *failure;            /**< what info = +i means, e.g. "leading minor … " */

    /** Why this kernel set cannot run here, as the end of a sentence; NULL if it can. */
    const char *(*kernels_missing)(enum kernel_set set);
    /** Makes all tasks created from now on run this kernel set. */
    void (*use_kernels)(enum kernel_set set);
    /** Operation count by LAPACK Working Note 41, appendix C. */
    double (*flops)(double m, double n);
    /** Bytes that create allocates, for the memory check. */
    size_t (*factor_bytes)(const struct problem *problem);
    /** Doubles of workspace for each thread; sizes only are known. NULL: none. */
    size_t (*workspace_doubles)(const struct problem *problem);
    /** Allocates problem->factors. @return 0, or -1 if out of memory */
    int (*create)(struct problem *problem);
    /** Releases problem->factors; NULL is fine. */
    void (*destroy)(struct problem *problem);
    /** Y := (product of the factors) X, which should be A X; X is n × p, Y is m × p, column-major. Runs
     * on the calling thread. */
    void (*multiply)(struct problem *problem, struct tile X, struct tile Y);
    /** X := Qᵀ (Q X), X is m × p. NULL for factorizations without an orthogonal factor. */
    void (*round_trip)(struct problem *problem, struct tile X);
    /** Digest of the factors. */
    uint64_t (*digest)(const struct problem *problem);
    /** Coordinates of an object that names a kernel call of step k and is no tile of A. NULL: there is
     * none. */
    void (*coordinates)(const struct problem *problem, size_t k, const void *object, size_t *i,
                        size_t *j);
    /** Finds out what concurrent write means here, on that many threads. NULL: not used. */
    struct concurrent_write (*probe)(size_t threads);
};

#endif
