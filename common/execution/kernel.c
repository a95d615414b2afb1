/* SPDX-License-Identifier: BSD-3-Clause
 * Counts are computed in double precision, which represents those of single calls exactly. */
#include "common/execution/kernel.h"

#include <math.h>

struct call_work work_of_call(const struct kernel *kernel, struct call_sizes s)
{
    return (struct call_work){.flops = kernel->flops ? llround(kernel->flops(s)) : 0,
                              .bytes = llround(kernel->bytes(s)),
                              .block = (int64_t)s.n * s.k,
                              .rows = s.m};
}

json_t *kernel_json(const struct kernel *kernel)
{
    static const char *const growths[] = {
        [GROWS_WITH_FLOPS] = "flops", [GROWS_WITH_ROWS] = "rows", [GROWS_WITH_BYTES] = "bytes"};
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:s}", "kernel", kernel->name, "operation",
                     kernel->operation ? kernel->operation : kernel->name, "operations",
                     kernel->count, "source", kernel->source, "computes",
                     (int)(kernel->flops != NULL), "grows_with", growths[kernel->growth]);
}
