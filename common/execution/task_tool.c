/* SPDX-License-Identifier: BSD-3-Clause
 * The library is in lib/, next to the program's bin/. */
#include "common/execution/task_tool.h"

#include <dlfcn.h>
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/message.h"
#include "common/base/tree.h"

static const char VARIABLE[] = "OMP_TOOL_LIBRARIES";
static const char LIBRARY[] = "lib/libpollux-ompt.so";

void task_tool_check(const struct runtime_identity *runtime, const char *option)
{
    char path[PATH_MAX];
    if (!runtime->ompt)
        message_fatal(POLLUX_MACHINE,
                      "%s needs a runtime with the tools interface OMPT, and %s has none: use the "
                      "build for libomp or libiomp5%s",
                      option, runtime->name,
                      strcmp(option, "--graph") == 0 ? ", whose graph is the same" : "");
    if (!tree_file(LIBRARY, path))
        message_fatal(POLLUX_MACHINE,
                      "%s needs lib/libpollux-ompt.so, which this build lacks: it is made by a "
                      "compiler that has omp-tools.h, such as clang with libomp's headers",
                      option);
}

const char *task_tool_needed_setting(char *text, size_t size)
{
    char path[PATH_MAX];
    const char *found = getenv(VARIABLE);
    tree_file(LIBRARY, path);
    size_t length = strlen(path);
    if (found && strncmp(found, path, length) == 0 &&
        (found[length] == '\0' || found[length] == ':'))
        return NULL;
    snprintf(text, size, "%s%s%s", path, found && *found ? ":" : "", found ? found : "");
    return text;
}

const struct ompt_tool *task_tool_find(const struct runtime_identity *runtime)
{
    char path[PATH_MAX];
    omp_get_max_threads(); /* starts the runtime, if nothing has yet */
    tree_file(LIBRARY, path);
    void *library = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
    ompt_tool_function *find = NULL;
    if (library)
        *(void **)&find = dlsym(library, OMPT_TOOL_FUNCTION);
    const struct ompt_tool *tool = find ? find() : NULL;
    if (!tool || tool->version != OMPT_TOOL_VERSION)
        message_fatal(POLLUX_MACHINE,
                      "%s %s did not load %s: OMP_TOOL=disabled turns tools off, and a tool named "
                      "before it in OMP_TOOL_LIBRARIES takes its place",
                      runtime->name, runtime->version, path);
    if (tool->lacks)
        message_fatal(POLLUX_MACHINE, "%s %s does not report tasks to tools: it lacks %s",
                      runtime->name, runtime->version, tool->lacks);
    return tool;
}
