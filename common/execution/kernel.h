/* SPDX-License-Identifier: BSD-3-Clause
 * The description of a kernel: its name, and the work of a call as a function of its sizes. Calls only
 * pass their sizes; everything else is computed after the run, for traces and graphs. */
#ifndef POLLUX_COMMON_KERNEL_H
#define POLLUX_COMMON_KERNEL_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/** Sizes of one kernel call, in elements. */
struct call_sizes {
    uint32_t m, n; /**< rows and columns of what it writes */
    uint32_t k; /**< the inner dimension: columns multiplied, order of a triangle, rows exchanged */
    uint32_t ib; /**< inner block of QR, else 0 */
};

/** How the time of a kernel scales with the tile size. */
enum growth {
    GROWS_WITH_FLOPS, /**< in proportion to its operations: kernels on tiles */
    GROWS_WITH_ROWS,  /**< n k (a + b m): those on a column of tiles */
    GROWS_WITH_BYTES, /**< in proportion to the bytes that it copies */
};

/** One operation on tiles. */
struct kernel {
    const char *name; /**< in traces and graphs, which name a call by it, its step and its tile */
    const char *operation; /**< distinguishes it from others of this name, or NULL */
    const char *count;     /**< the count of its operations in m, n, k and ib, as text */
    const char *source;    /**< of that count */
    enum growth growth;
    double (*flops)(struct call_sizes s); /**< NULL: it only moves data */
    double (*bytes)(
        struct call_sizes s); /**< of the elements that a call touches, each counted once */
};

/** The sizes of a call; ib is 0. */
static inline struct call_sizes sizes_mnk(size_t m, size_t n, size_t k)
{
    struct call_sizes s = {(uint32_t)m, (uint32_t)n, (uint32_t)k, 0};
    return s;
}

/** One call: which kernel, in which outer iteration, of what sizes. */
struct call {
    const struct kernel *kernel;
    size_t step;
    struct call_sizes sizes;
};

/** The work of one call, rounded to whole numbers. */
struct call_work {
    int64_t flops; /**< multiplications, additions, divisions and square roots */
    int64_t bytes;
    int64_t block; /**< n k: the factor that does not grow with the rows */
    int64_t rows;  /**< m */
};

struct call_work work_of_call(const struct kernel *kernel, struct call_sizes sizes);

/** Name, operation, count, source and growth as an object (docs/traces.md). */
json_t *kernel_json(const struct kernel *kernel);

#endif
