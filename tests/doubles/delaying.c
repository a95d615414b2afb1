/* SPDX-License-Identifier: BSD-3-Clause
 * A tool of OMPT, loaded by OMP_TOOL_LIBRARIES: a runtime in which a parallel region inside another takes longer to
 * begin, by a known time.
 *
 *   POLLUX_DOUBLE_FORK=10000   nanoseconds; 0 by default
 *
 * A delayed runtime is to be compared with one at 0, whose regions take the same path. */
#include <dlfcn.h>
#include <omp-tools.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/clock.h"

/* Found by the runtime. NOLINTBEGIN(misc-use-internal-linkage) */
__attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned openmp, const char *runtime);
/* NOLINTEND(misc-use-internal-linkage) */

static double delay_seconds;
static int (*level)(void);

static void begin_region(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region,
                         unsigned threads, int flags, const void *code)
{
    (void)task, (void)frame, (void)region, (void)threads, (void)flags, (void)code;
    double end = now_seconds() + (level() > 0 ? delay_seconds : 0.0);
    while (now_seconds() < end)
        continue;
}

static int initialize(ompt_function_lookup_t find, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    const ompt_set_callback_t set = (ompt_set_callback_t)find("ompt_set_callback");
    return set(ompt_callback_parallel_begin, (ompt_callback_t)begin_region) == ompt_set_always;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned openmp, const char *runtime)
{
    static ompt_start_tool_result_t tool = {initialize, finalize, {0}};
    const char *text = getenv("POLLUX_DOUBLE_FORK");
    char *end = NULL;
    (void)openmp, (void)runtime;
    delay_seconds = text ? strtod(text, &end) * 1e-9 : 0.0;
    *(void **)&level = dlsym(RTLD_DEFAULT, "omp_get_level");
    if (!level || (text && (end == text || *end != '\0'))) {
        fprintf(stderr, "delaying: no number in POLLUX_DOUBLE_FORK\n");
        abort();
    }
    return &tool;
}
