/* SPDX-License-Identifier: BSD-3-Clause
 * At most one restart: what is still wrong after it is refused. */
#include "common/process/setup.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/control_groups.h"
#include "common/base/message.h"
#include "common/base/restart.h"
#include "common/base/system_file.h"
#include "common/execution/task_tool.h"
#include "common/execution/team.h"
#include "common/identity/capabilities.h"
#include "common/identity/runtime_settings.h"
#include "common/machine/affinity.h"
#include "common/process/environment.h"
#include "common/process/runtime_routines.h"

static bool differs(const char *name, const char *value)
{
    const char *found = getenv(name);
    return !found || strcmp(found, value) != 0;
}

/* The value that OMP_MAX_TASK_PRIORITY needs, or NULL if its value is right already. For
 * priorities to have their full effect it must be at least `most`, and a larger value of the
 * user's is kept; where there are none it must be 0, which is the default. */
static const char *needed_priority(int most, char *text, size_t size)
{
    const char *found = getenv("OMP_MAX_TASK_PRIORITY");
    long value = found ? strtol(found, NULL, 10) : 0;
    if (most > 0 ? value >= most : value <= 0)
        return NULL;
    snprintf(text, size, "%d", most);
    return text;
}

/* What the BLAS needs. @return how many settings */
static size_t blas_settings(const struct blas_identity *blas, struct setting *settings)
{
    size_t count = 0;
    const char *core = getenv("OPENBLAS_CORETYPE") ? NULL : blas_better_core(blas);
    if (core)
        settings[count++] = (struct setting){"OPENBLAS_CORETYPE", core};
    const char *threads = blas_threads_variable();
    if (threads && differs(threads, "1"))
        settings[count++] = (struct setting){threads, "1"};
    return count;
}

/* Fills the settings that this run needs and the environment lacks. */
static size_t needed_settings(const struct setup *setup, const struct setup_needs *needs,
                              struct setting *settings)
{
    static char text[8], libraries[2 * PATH_MAX];
    size_t count = needs->no_blas ? 0 : blas_settings(&setup->blas, settings);
    const char *tools =
        needs->tool_option ? task_tool_needed_setting(libraries, sizeof libraries) : NULL;
    bool priorities = needs->priority_max > 0 && runtime_priorities_are_safe(&setup->runtime);
    const char *priority = needed_priority(priorities ? needs->priority_max : 0, text, sizeof text);
    if (needs->nested && !getenv("OMP_MAX_ACTIVE_LEVELS") && !getenv("OMP_NESTED"))
        settings[count++] = (struct setting){"OMP_MAX_ACTIVE_LEVELS", "2"};
    if (tools)
        settings[count++] = (struct setting){"OMP_TOOL_LIBRARIES", tools};
    if (priority)
        settings[count++] = (struct setting){"OMP_MAX_TASK_PRIORITY", priority};
    count += runtime_settings(&setup->runtime, priorities, settings + count);
    settings[count] = (struct setting){NULL, NULL};
    return count;
}

/* What is left to refuse after a restart, or where the user has chosen the kernels. */
static void check_core(const struct blas_identity *blas)
{
    const char *better = blas_better_core(blas);
    const char *asked = getenv("OPENBLAS_CORETYPE");
    if (blas_core_overruns(blas))
        message_fatal(POLLUX_MACHINE,
                      "OpenBLAS %s overruns its buffers with its %s kernels on AMD processors with "
                      "AVX-512 (its issue 6013): %s",
                      blas->version, blas->core,
                      asked ? "unset OPENBLAS_CORETYPE" : "use another version");
    if (!better)
        return;
    bool runs = blas_core_runs(blas);
    const char *how = runs ? "far below this CPU" : "which this CPU cannot execute";
    if (asked && strcasecmp(asked, blas->core) == 0 && runs)
        message_warning("OPENBLAS_CORETYPE=%s makes OpenBLAS use kernels far below this CPU; use "
                        "%s instead",
                        quoted(asked).text, better);
    else if (asked && strcasecmp(asked, better) != 0)
        message_fatal(POLLUX_MACHINE,
                      "OPENBLAS_CORETYPE=%s makes OpenBLAS use its %s kernels, %s: set it to %s",
                      quoted(asked).text, blas->core, how, better);
    else
        message_fatal(POLLUX_MACHINE,
                      "OpenBLAS (%s) uses its %s kernels, %s, and does not change to %s: set "
                      "OpenBLAS_ROOT to another build when configuring",
                      blas->path, blas->core, how, better);
}

void setup_create(struct setup *setup, const struct setup_needs *needs, char **argv)
{
    struct setting settings[6 + RUNTIME_SETTINGS_MAX];
    restart_check();
    team_check_environment();
    *setup = (struct setup){.runtime = runtime_identify(), .blas = blas_identify()};
    if (!runtime_check(&setup->runtime) || !(needs->no_blas || blas_check(&setup->blas)))
        exit(POLLUX_MACHINE);
    if (needs->tool_option)
        task_tool_check(&setup->runtime, needs->tool_option);
    if (needed_settings(setup, needs, settings) > 0)
        environment_restart(argv, settings);
    if (!needs->no_blas)
        check_core(&setup->blas);
    if (needs->priority_max > 0 && !runtime_priorities_are_safe(&setup->runtime))
        message_warning("task priorities are off: with them libomp 15 and 16 may hang (LLVM "
                        "issue 62867), and this is libomp %s",
                        setup->runtime.version);
    blas_use_one_thread();
    runtime_keep_team_size();
    setup->environment_found = environment_found();
    setup->environment_set = environment_set();
    environment_forget();
    setup->allowed = affinity_initial_count();
    setup->quota = control_groups_quota(system_root());
    setup->topology = topology_create();
    if (!setup->topology)
        message_fatal(POLLUX_MACHINE, "hwloc cannot read this machine's topology");
}

enum priorities setup_priorities(const struct setup *setup, const char **evidence)
{
    bool on = runtime_max_task_priority() > 0 || runtime_settings_priorities(&setup->runtime);
    enum priority_effect effect = capabilities_priorities(&setup->runtime, evidence);
    if (!on)
        return PRIORITIES_OFF;
    if (effect == PRIORITIES_UNCERTAIN)
        return PRIORITIES_UNKNOWN;
    return effect == PRIORITIES_IGNORED ? PRIORITIES_WITHOUT_EFFECT : PRIORITIES_IN_FORCE;
}

void setup_destroy(struct setup *setup)
{
    topology_destroy(setup->topology);
    json_decref(setup->environment_found);
    json_decref(setup->environment_set);
}
