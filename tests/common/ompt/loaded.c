/* SPDX-License-Identifier: BSD-3-Clause
 * Finds the tool that the runtime has loaded. */
#include "loaded.h"

#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

const struct ompt_tool *loaded_tool(void)
{
    (void)omp_get_max_threads(); /* starts the runtime */
    const char *path = getenv("OMP_TOOL_LIBRARIES");
    /* Nothing is loaded. NOLINTNEXTLINE(clang-analyzer-optin.taint.GenericTaint) */
    void *library = path ? dlopen(path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
    if (!library) {
        puts("not loaded");
        return NULL;
    }
    union { /* ISO C does not convert an object's address to a function's */
        void *symbol;
        ompt_tool_function *function;
    } find = {.symbol = dlsym(library, OMPT_TOOL_FUNCTION)};
    const struct ompt_tool *tool = find.symbol ? find.function() : NULL;
    if (!tool)
        puts("not started");
    return tool;
}
