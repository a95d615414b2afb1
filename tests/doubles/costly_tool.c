/* SPDX-License-Identifier: BSD-3-Clause
 * The costs of costly.c in a runtime that has OMPT, which finds this tool in the preloaded library: a task is created,
 * its items are known, and its body has ended while its successors still wait. It does nothing on other runtimes. */
#include <omp-tools.h>

#include "costly.h"

/* Found by the runtime. NOLINTBEGIN(misc-use-internal-linkage) */
__attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned openmp, const char *runtime);
/* NOLINTEND(misc-use-internal-linkage) */

static void create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                   int has_items, const void *code)
{
    (void)creator, (void)frame, (void)task, (void)has_items, (void)code;
    if ((unsigned)flags & ompt_task_explicit)
        add_creation();
}

static void name_items(ompt_data_t *task, const ompt_dependence_t *items, int count)
{
    (void)task, (void)items;
    add_items((size_t)count);
}

static void schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    (void)prior, (void)next;
    if (status == ompt_task_complete)
        add_release();
}

static int initialize(ompt_function_lookup_t find, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    const ompt_set_callback_t set = (ompt_set_callback_t)find("ompt_set_callback");
    return set(ompt_callback_task_create, (ompt_callback_t)create) == ompt_set_always &&
           set(ompt_callback_dependences, (ompt_callback_t)name_items) == ompt_set_always &&
           set(ompt_callback_task_schedule, (ompt_callback_t)schedule) == ompt_set_always;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned openmp, const char *runtime)
{
    static ompt_start_tool_result_t tool = {initialize, finalize, {0}};
    (void)openmp, (void)runtime;
    return &tool;
}
