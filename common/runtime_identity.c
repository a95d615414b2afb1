/* SPDX-License-Identifier: BSD-3-Clause
 * Every loaded object is asked whether it defines an OpenMP runtime's entry points itself. */
#include "common/runtime_identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/shared_objects.h"

#if defined(_MERCURIUM)
static const char ABI[] = "NANOX";
#elif defined(__clang__) || defined(__INTEL_COMPILER)
static const char ABI[] = "KMP";
#else
static const char ABI[] = "GOMP";
#endif

/* An object that defines any of these is an OpenMP runtime. */
static const char *const entry_points[] = {"omp_get_thread_num", "GOMP_parallel",
                                           "__kmpc_fork_call"};

static bool is_runtime(const char *object)
{
    for (size_t i = 0; i < sizeof entry_points / sizeof *entry_points; i++)
        if (shared_object_defines(object, entry_points[i]))
            return true;
    return false;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The research runtimes built on LLVM's keep its entry points; what they add tells them apart. */
static const char *runtime_name(const char *object, const char *path)
{
    char owner[PATH_MAX];
    if (shared_object_defines(object, "nanos_get_runtime_version") ||
        strncmp(base_name(path), "libnanox", 8) == 0)
        return "ompss";
    if (shared_object_defines(object, "__kmpc_fork_call")) {
        if (symbol_owner("xkomp_get", owner))
            return "xkaapi";
        if (symbol_owner("ABT_init", owner))
            return "bolt";
        if (strstr(base_name(path), "komp"))
            return "libkomp";
        return strncmp(base_name(path), "libiomp", 7) == 0 ? "libiomp5" : "libomp";
    }
    return shared_object_defines(object, "GOMP_parallel") ? "libgomp" : "unknown";
}

struct rung {
    const char *symbol;
    const char *version;
};

/* Newest first: the first symbol that is there tells the least version. Sources: the symbol version
 * map of GCC's libgomp, the export list of LLVM's libomp. */
static const struct rung libgomp_ladder[] = {{"GOMP_target_map_indirect_ptr", ">=14"},
                                             {"GOMP_taskwait_depend_nowait", "13"},
                                             {"GOMP_scope_start", "12"},
                                             {"GOMP_alloc", "11"},
                                             {"omp_fulfill_event", "11"},
                                             {"GOMP_taskgroup_reduction_register", "9-10"},
                                             {"GOMP_taskloop", "6-8"},
                                             {NULL, ""}};
static const struct rung libomp_ladder[] = {{"__kmpc_dispatch_deinit", ">=19"},
                                            {"__kmpc_omp_taskwait_deps_51", ">=16"},
                                            {"__kmpc_error", ">=14"},
                                            {"__kmpc_masked", ">=13"},
                                            {NULL, ""}};

static const char *climb(const char *object, const struct rung *ladder)
{
    while (ladder->symbol && !shared_object_defines(object, ladder->symbol))
        ladder++;
    return ladder->version;
}

/* Debian and Ubuntu keep LLVM's libraries in …/llvm-<major>/lib/. */
static bool major_from_path(const char *path, char *version, size_t size)
{
    const char *at = strstr(path, "/llvm-");
    int major;
    if (!at || sscanf(at, "/llvm-%d/", &major) != 1)
        return false;
    snprintf(version, size, "%d", major);
    return true;
}

static void find_version(const char *object, struct runtime_identity *identity)
{
    size_t size = sizeof identity->version;
    if (strcmp(identity->name, "libgomp") == 0)
        snprintf(identity->version, size, "%s", climb(object, libgomp_ladder));
    else if (strcmp(identity->name, "libomp") == 0 &&
             !major_from_path(identity->path, identity->version, size))
        snprintf(identity->version, size, "%s", climb(object, libomp_ladder));
}

static void describe_active(const char *object, struct runtime_identity *identity)
{
    snprintf(identity->name, sizeof identity->name, "%s", runtime_name(object, identity->path));
    find_version(object, identity);
    shared_object_build_id(object, identity->build_id, sizeof identity->build_id);
}

struct runtime_identity runtime_identify(void)
{
    const char *expected = getenv("POLLUX_EXPECT_RUNTIME");
    struct runtime_identity identity = {
        .name = "unknown", .abi = ABI, .expected = expected ? expected : POLLUX_RUNTIME};
    struct shared_objects objects = shared_objects_loaded();

    symbol_owner("omp_get_thread_num", identity.path);
    for (size_t i = 0; i < objects.count; i++) {
        char path[PATH_MAX];
        if (!is_runtime(objects.name[i]))
            continue;
        shared_object_path(objects.name[i], path);
        if (strcmp(path, identity.path) == 0)
            describe_active(objects.name[i], &identity);
        else
            snprintf(identity.second, sizeof identity.second, "%s", path);
    }
    shared_objects_free(&objects);
    return identity;
}

bool runtime_check(const struct runtime_identity *identity)
{
    if (identity->second[0] != '\0') {
        message_error("two OpenMP runtimes are in this process, %s and %s: remove the second from "
                      "LD_PRELOAD, or use libraries that do not load it",
                      identity->path, identity->second);
        return false;
    }
    if (strcmp(identity->name, identity->expected) != 0) {
        message_error("the OpenMP runtime loaded is %s (%s), but %s is expected: put its library "
                      "first in LD_LIBRARY_PATH, or say POLLUX_EXPECT_RUNTIME=%s",
                      identity->name, identity->path, identity->expected, identity->name);
        return false;
    }
    return true;
}

bool runtime_priorities_are_safe(const struct runtime_identity *identity)
{
    /* The ladder's rungs that versions 15 and 16 reach are among them. */
    static const char *const unsafe[] = {"15", "16", ">=14", ">=16"};
    if (strcmp(identity->name, "libomp") != 0)
        return true;
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
        if (strcmp(identity->version, unsafe[i]) == 0)
            return false;
    return true;
}

static json_t *text_or_null(const char *text)
{
    return text[0] ? json_string(text) : json_null();
}

json_t *runtime_json(const struct runtime_identity *identity)
{
    return json_pack("{s:s, s:o, s:s, s:o, s:s, s:s}", "name", identity->name, "version",
                     text_or_null(identity->version), "path", identity->path, "build_id",
                     text_or_null(identity->build_id), "abi", identity->abi, "expected",
                     identity->expected);
}
